import { execFile } from "node:child_process";
import { lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";

import type { Header } from "tar-stream";
import { pack } from "tar-stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { AntlerError, WorkspaceReceipt } from "@antler/contracts";
import { isAntlerError } from "@antler/contracts";

import { createWorkspaces } from "../src/index.ts";
import type { Fixture } from "./support.ts";
import { aConfig, aFixture, never, silent } from "./support.ts";

const run = promisify(execFile);

type Entry = Partial<Header> & { readonly name: string; readonly data?: string | Buffer };

async function archive(entries: readonly Entry[]): Promise<Buffer> {
  const packing = pack();
  for (const { data, ...header } of entries) {
    if (data === undefined) packing.entry(header);
    else packing.entry(header, data);
  }
  packing.finalize();
  return buffer(packing);
}

let fixture: Fixture;
beforeEach(async () => {
  fixture = await aFixture({ config: aConfig({ upload: { max_files: 20, max_bytes: 100_000 } }) });
  await fixture.sandbox.writeFile("before.txt", "as it was");
});
afterEach(() => fixture[Symbol.asyncDispose]());

const inside = (name: string) => join(fixture.base, "workspace", name);

function upload(tar: Buffer | Readable, signal = never()): Promise<WorkspaceReceipt> {
  const stream = Buffer.isBuffer(tar) ? Readable.from(pieces(tar)) : tar;
  return fixture.workspaces.upload("default", "t1", stream, { signal });
}

/** Cut where no boundary of the format lies. */
function* pieces(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += 777) yield bytes.subarray(at, at + 777);
}

async function faultOf(tar: Buffer | Readable): Promise<AntlerError> {
  const error: unknown = await upload(tar).then(
    () => new Error("It was taken"),
    (caught: unknown) => caught,
  );
  if (!isAntlerError(error)) throw error as Error;
  return error;
}

async function expectUntouched(): Promise<void> {
  expect((await readdir(fixture.base)).sort()).toEqual(["outputs", "tmp", "uploads", "workspace"]);
  expect(await readdir(join(fixture.base, "workspace"))).toEqual(["before.txt"]);
  expect(await readdir(join(fixture.root, "default"))).toEqual(["t1"]);
}

describe("an upload", () => {
  it("replaces the workspace whole and counts files and bytes", async () => {
    const tar = await archive([
      { name: "./", type: "directory" },
      { name: "src/", type: "directory" },
      { name: "src/a.ts", data: "export {};\n", mode: 0o4755, uid: 1234, gid: 1234 },
      { name: "without/parent/b é🙂.txt", data: "b" },
      { name: "empty", data: "" },
      { name: "link", type: "symlink", linkname: "src/a.ts" },
      { name: "src/up", type: "symlink", linkname: "../without" },
      { name: "src/abs", type: "symlink", linkname: "/mnt/user-data/workspace/empty" },
      { name: "dangling", type: "symlink", linkname: "src/missing/x" },
      { name: "loop-a", type: "symlink", linkname: "loop-b" },
      { name: "loop-b", type: "symlink", linkname: "loop-a" },
      { name: "hard", type: "link", linkname: "src/a.ts" },
    ]);

    expect(await upload(tar)).toEqual({ files: 10, bytes: 12 });

    expect((await readdir(inside("."))).sort()).toEqual(
      ["dangling", "empty", "hard", "link", "loop-a", "loop-b", "src", "without"].sort(),
    );
    expect((await stat(inside("src/a.ts"))).mode & 0o7777).toBe(0o755);
    expect((await stat(inside("empty"))).mode & 0o777).toBe(0o644);
    expect((await stat(inside("src/a.ts"))).uid).toBe(process.getuid?.());
    expect(await readlink(inside("src/up"))).toBe("../without");
    expect(await fixture.sandbox.readFile("src/up/parent/b é🙂.txt")).toMatchObject({ text: "b" });
    expect(await fixture.sandbox.readFile("src/abs")).toMatchObject({ kind: "text", text: "" });
    expect((await stat(inside("hard"))).nlink).toBe(2);
    expect((await readdir(fixture.base)).sort()).toEqual(["outputs", "tmp", "uploads", "workspace"]);
  });

  it("is seen by the next command", async () => {
    await upload(await archive([{ name: "a.txt", data: "hello" }]));

    const { output } = await fixture.sandbox.run({ command: "cat *", timeoutMs: 20_000, signal: never() });
    expect(output).toBe("hello");
  });

  it("takes an empty archive", async () => {
    expect(await upload(await archive([]))).toEqual({ files: 0, bytes: 0 });
    expect(await readdir(inside("."))).toEqual([]);
  });

  it("lets a later entry of the same name win", async () => {
    await upload(
      await archive([
        { name: "a", data: "first" },
        { name: "b", data: "kept" },
        { name: "c", type: "link", linkname: "b" },
        { name: "a", data: "second" },
        { name: "c", data: "own" },
        { name: "d", type: "symlink", linkname: "a" },
        { name: "d", data: "file" },
      ]),
    );

    expect(await readFile(inside("a"), "utf8")).toBe("second");
    expect(await readFile(inside("b"), "utf8")).toBe("kept");
    expect((await lstat(inside("d"))).isFile()).toBe(true);
  });

  it.each(["gnu", "pax", "ustar"])("takes what GNU tar writes as %s: long and odd names, links", async (format) => {
    const directory = await mkdtemp(join(tmpdir(), "antler-tar-"));
    const deep = format === "ustar" ? "deep" : `${"long-name-".repeat(20)}/${"é".repeat(100)}`;
    const odd = Buffer.concat([Buffer.from(`${directory}/bad-`), Buffer.from([0xff, 0xe9])]);
    await mkdir(join(directory, deep), { recursive: true });
    await writeFile(join(directory, deep, "new\nline"), "deep");
    if (format !== "pax") await writeFile(odd, "bytes");
    await symlink(join(deep, "new\nline"), join(directory, "to-deep"));
    const { stdout } = await run("tar", [`--format=${format}`, "-C", directory, "-c", "."], { encoding: "buffer" });
    await rm(directory, { recursive: true });

    await upload(stdout);

    expect(await fixture.sandbox.readFile("to-deep")).toMatchObject({ text: "deep" });
    expect((await fixture.sandbox.glob("bad-*")).paths).toEqual(
      format === "pax" ? [] : ["/mnt/user-data/workspace/bad-\\xff\\xe9"],
    );
  });

  it("keeps holes as holes", async () => {
    await using roomy = await aFixture({ config: aConfig({ upload: { max_files: 5, max_bytes: 2 ** 30 } }) });
    const packing = pack();
    packing.entry({ name: "sparse" }, Buffer.concat([Buffer.from("head"), Buffer.alloc(32 * 1024 * 1024)]));
    packing.finalize();

    await roomy.workspaces.upload("default", "t1", packing as unknown as Readable, { signal: never() });

    const { size, blocks } = await stat(join(roomy.base, "workspace", "sparse"));
    expect(size).toBe(4 + 32 * 1024 * 1024);
    expect(blocks * 512).toBeLessThan(2 * 1024 * 1024);
  });

  it("keeps the old contents when the check before the swap fails", async () => {
    const tar = Readable.from(pieces(await archive([{ name: "new.txt", data: "new" }])));
    const beforeSwap = () => Promise.reject(new Error("not now"));

    const running = fixture.workspaces.upload("default", "t1", tar, { signal: never(), beforeSwap });

    await expect(running).rejects.toThrow("not now");
    await expectUntouched();
  });

  it("of two at once keeps one whole", async () => {
    const one = await archive(Array.from({ length: 10 }, (_, index) => ({ name: `one-${index}`, data: "1" })));
    const two = await archive(Array.from({ length: 10 }, (_, index) => ({ name: `two-${index}`, data: "2" })));
    const elsewhere = await createWorkspaces({ root: fixture.root, config: aConfig(), logger: silent });

    await Promise.all([
      ...[one, two, one, two].map((tar) => upload(tar)),
      ...[one, two].map((tar) => elsewhere.upload("default", "t1", Readable.from(pieces(tar)), { signal: never() })),
    ]);

    const names = await readdir(inside("."));
    expect(names).toHaveLength(10);
    expect(new Set(names.map((name) => name.slice(0, 3))).size).toBe(1);
    expect((await readdir(fixture.base)).sort()).toEqual(["outputs", "tmp", "uploads", "workspace"]);
  });
});

describe("a refused entry", () => {
  const file = { name: "ok.txt", data: "ok" };
  const refused: readonly [string, readonly Entry[]][] = [
    ["/etc/absolute", [{ name: "/etc/absolute", data: "x" }]],
    ["../evil", [{ name: "../evil", data: "x" }]],
    ["a/../../evil", [{ name: "a/../../evil", data: "x" }]],
    ["a/..", [{ name: "a/..", type: "directory" }]],
    ["fifo", [{ name: "fifo", type: "fifo" }]],
    ["null", [{ name: "null", type: "character-device", devmajor: 1, devminor: 3 }]],
    ["disk", [{ name: "disk", type: "block-device", devmajor: 8 }]],
    ["out", [{ name: "out", type: "symlink", linkname: "/etc/passwd" }]],
    ["out", [{ name: "out", type: "symlink", linkname: "../outputs" }]],
    ["a/out", [{ name: "a/out", type: "symlink", linkname: "../../x" }]],
    ["out", [{ name: "out", type: "symlink", linkname: "/mnt/user-data/workspace-evil" }]],
    ["out", [{ name: "out", type: "symlink", linkname: "/mnt/user-data/workspace/../uploads" }]],
    ["out", [{ name: "out", type: "symlink", linkname: "missing/../../x" }]],
    ["hard", [{ name: "hard", type: "link", linkname: "/etc/passwd" }]],
    ["hard", [{ name: "hard", type: "link", linkname: "../../../x" }]],
    [
      "hard",
      [
        { name: "hard", type: "link", linkname: "later" },
        { name: "later", data: "x" },
      ],
    ],
    [
      "hard",
      [
        { name: "s", type: "symlink", linkname: "ok.txt" },
        { name: "hard", type: "link", linkname: "s" },
      ],
    ],
    [
      "s/through",
      [
        { name: "s", type: "symlink", linkname: "." },
        { name: "s/through", data: "x" },
      ],
    ],
    [
      "m",
      [
        { name: "sub/l", type: "symlink", linkname: ".." },
        { name: "m", type: "symlink", linkname: "sub/l/../x" },
      ],
    ],
    [
      "d",
      [
        { name: "d/x", data: "x" },
        { name: "d", data: "file over directory" },
      ],
    ],
    ["ok.txt/below", [{ name: "ok.txt/below", data: "x" }]],
    [".", [{ name: ".", type: "symlink", linkname: "/etc" }]],
    ["a\\x0ab", [{ name: "a\nb", type: "fifo" }]],
  ];

  it.each(refused)("%s is named and nothing is kept (%#)", async (name, entries) => {
    const error = await faultOf(await archive([file, ...entries, { name: "after", data: "x" }]));

    expect(error.code).toBe("workspace_entry_refused");
    expect(error.details).toEqual({ entry: name });
    expect(error.message).toContain(name);
    await expectUntouched();
  });

  it("is also one packed as sparse", async () => {
    const directory = await mkdtemp(join(tmpdir(), "antler-tar-"));
    await run("truncate", ["-s", "1M", join(directory, "holes")]);
    const { stdout } = await run("tar", ["--format=gnu", "--sparse", "-C", directory, "-c", "holes"], {
      encoding: "buffer",
    });
    await rm(directory, { recursive: true });

    expect((await faultOf(stdout)).details).toEqual({ entry: "holes" });
  });
});

describe("a limit", () => {
  it("of files names itself and the largest entries, and nothing is kept", async () => {
    const entries = Array.from({ length: 21 }, (_, index) => ({ name: `f${index}`, data: "x".repeat(index) }));

    const error = await faultOf(await archive(entries));

    expect(error.code).toBe("workspace_too_large");
    expect(error.details["limit"]).toBe("sandbox.upload.max_files");
    expect(error.details["largest"]).toEqual(
      Array.from({ length: 10 }, (_, index) => ({ path: `f${20 - index}`, bytes: 20 - index })),
    );
    await expectUntouched();
  });

  it("of bytes is held against what an entry declares, before it is read", async () => {
    const tar = await archive([{ name: "small", data: "x" }]);
    const header = (await archive([{ name: "huge", size: 0, data: "" }])).subarray(0, 512);
    header.write("77777777777 ", 124);
    header.fill(" ", 148, 156);
    header.write(
      `${header
        .reduce((sum, byte) => sum + byte, 0)
        .toString(8)
        .padStart(6, "0")}\0 `,
      148,
    );
    const endless = new PassThrough();
    endless.write(Buffer.concat([tar.subarray(0, 1024), header]));

    const error = await faultOf(endless);

    expect(error.details).toEqual({
      limit: "sandbox.upload.max_bytes",
      largest: [
        { path: "huge", bytes: 0o77777777777 },
        { path: "small", bytes: 1 },
      ],
    });
    await expectUntouched();
  });

  it("holds for directories too", async () => {
    const entries = Array.from({ length: 1100 }, (_, index) => ({ name: `d${index}/`, type: "directory" as const }));

    expect((await faultOf(await archive(entries))).code).toBe("workspace_too_large");
  });
});

describe("a stream that is no complete archive", () => {
  const whole = () =>
    archive([
      { name: "a", data: "x".repeat(3000) },
      { name: "b", data: "y" },
    ]);

  it.each([
    ["nothing", async () => Buffer.alloc(0)],
    ["garbage", async () => Buffer.from("x".repeat(2000))],
    ["a gzip file", async () => Buffer.from("1f8b0800000000000003", "hex")],
    ["a cut header", async () => (await whole()).subarray(0, 100)],
    ["cut contents", async () => (await whole()).subarray(0, 2000)],
    ["an archive cut between entries", async () => (await whole()).subarray(0, 512 + 3072)],
    ["an archive without its end", async () => (await whole()).subarray(0, -1024)],
  ])("is refused: %s", async (_name, make) => {
    const error = await faultOf(await make());

    expect(error.code).toBe("workspace_archive_invalid");
    await expectUntouched();
  });

  it("is refused when the sender goes away", async () => {
    const stream = new PassThrough();
    stream.write((await whole()).subarray(0, 1500));
    const upload = faultOf(stream);
    stream.destroy(new Error("aborted"));

    expect((await upload).code).toBe("workspace_archive_invalid");
    await expectUntouched();
  });

  it("is cleaned up at an abort, which rejects with its reason", async () => {
    const controller = new AbortController();
    const stream = new PassThrough();
    stream.write((await whole()).subarray(0, 1500));
    const running = upload(stream, controller.signal);
    const outcome = running.catch((error: unknown) => String(error));
    await expect
      .poll(() => readdir(fixture.base).then((names) => names.some((name) => name.startsWith(".upload-"))))
      .toBe(true);

    controller.abort(new Error("drained"));

    expect(await outcome).toContain("drained");
    await expectUntouched();
  });
});
