import { execFile } from "node:child_process";
import { link, mkdir, readdir, readFile, readlink, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { refusalReasonOf } from "../src/index.ts";
import type { Fixture } from "./support.ts";
import { aFixture } from "./support.ts";

const run = promisify(execFile);
const WORKSPACE = "/mnt/user-data/workspace";

async function reasonOf(act: Promise<unknown>): Promise<string> {
  const outcome = await act.then(
    () => "allowed",
    (error: unknown) => refusalReasonOf(error) ?? String(error),
  );
  return outcome;
}

/** What this process holds open in a directory. */
async function openBelow(directory: string): Promise<string[]> {
  const targets = (await readdir("/proc/self/fd")).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ""));
  return (await Promise.all(targets)).filter((target) => target.startsWith(directory)).sort();
}

describe("the path resolver", () => {
  let fixture: Fixture;
  let secret: string;

  beforeAll(async () => {
    const directory = join(process.cwd(), "libs/sandbox/src");
    fixture = await aFixture({ skills: { shown: [{ name: "code", directory }], disabled: ["off"] } });
    const { base } = fixture;
    secret = join(fixture.root, "secret.txt");
    await writeFile(secret, "host secret");
    const at = (name: string) => join(base, "workspace", name);
    await mkdir(at("sub/deep"), { recursive: true });
    await mkdir(join(base, "workspace-evil"));
    await writeFile(join(base, "workspace-evil", "x"), "evil");
    await writeFile(at("file.txt"), "inside");
    await writeFile(join(base, "uploads", "up.txt"), "uploaded");
    await symlink(secret, at("to-secret"));
    await symlink("../../../secret.txt", at("to-secret-relative"));
    await symlink(fixture.root, at("to-root"));
    await symlink("/etc", at("to-etc"));
    await symlink("/mnt/user-data/workspace-evil", at("to-evil"));
    await symlink("..", at("to-parent"));
    await symlink("..", at("sub/up"));
    await symlink("sub/up/..", at("chain-out"));
    await symlink("loop-b", at("loop-a"));
    await symlink("loop-a", at("loop-b"));
    await symlink("file.txt", at("to-file"));
    await symlink("sub/up/file.txt", at("chain-in"));
    await symlink("/mnt/user-data/uploads/up.txt", at("to-upload"));
    await symlink(join(base, "uploads", "up.txt"), at("to-upload-by-host"));
    await symlink("/mnt/skills/code/index.ts", at("to-skill"));
    await symlink("/mnt/skills/code", at("to-skills"));
    await symlink("/mnt/skills/off/SKILL.md", at("to-disabled"));
    await symlink("nowhere", at("dangling"));
    await symlink("/proc/self/root/etc", at("to-proc"));
    await link(at("file.txt"), at("hard"));
    await run("mkfifo", [at("fifo")]);
  });

  afterAll(() => fixture[Symbol.asyncDispose]());

  const reads: readonly [string, string][] = [
    ["/etc/passwd", "outside_roots"],
    ["/", "outside_roots"],
    ["/mnt", "outside_roots"],
    ["/mnt/user-data", "outside_roots"],
    ["/mnt/user-data/workspace-evil/x", "outside_roots"],
    ["/mnt/user-data/workspaceevil", "outside_roots"],
    ["/mnt/user-data/WORKSPACE/file.txt", "outside_roots"],
    ["/proc/self/environ", "outside_roots"],
    ["../workspace-evil/x", "traversal"],
    ["..", "traversal"],
    [`${WORKSPACE}/../../../etc/passwd`, "traversal"],
    [`${WORKSPACE}/sub/../file.txt`, "traversal"],
    [`${WORKSPACE}/./../../x`, "traversal"],
    [`${WORKSPACE}//..//x`, "traversal"],
    ["\\x2e\\x2e/\\x2e\\x2e/secret.txt", "not_found"],
    ["sub\\x2f..\\x2f..", "not_found"],
    ["", "bad_name"],
    ["a\0b", "bad_name"],
    ["a".repeat(5000), "bad_name"],
    ["a".repeat(300), "bad_name"],
    ["to-secret", "link_escapes"],
    ["to-secret-relative", "link_escapes"],
    ["to-root/secret.txt", "link_escapes"],
    ["to-etc/passwd", "link_escapes"],
    ["to-evil/x", "link_escapes"],
    ["to-parent/uploads/up.txt", "link_escapes"],
    ["chain-out", "link_escapes"],
    ["chain-out/uploads/up.txt", "link_escapes"],
    ["to-proc/passwd", "link_escapes"],
    ["loop-a", "link_loop"],
    ["dangling", "not_found"],
    ["missing/file", "not_found"],
    ["file.txt/below", "not_a_directory"],
    ["sub", "is_a_directory"],
    [".", "is_a_directory"],
    ["fifo", "not_a_file"],
    ["file.txt", "allowed"],
    ["./file.txt", "allowed"],
    [`${WORKSPACE}//file.txt`, "allowed"],
    ["to-file", "allowed"],
    ["chain-in", "allowed"],
    ["hard", "allowed"],
    ["to-upload", "allowed"],
    ["to-upload-by-host", "allowed"],
    ["to-skill", "allowed"],
    ["/mnt/skills/code/index.ts", "allowed"],
    ["/mnt/skills/other/SKILL.md", "not_found"],
    ["/mnt/skills/off/SKILL.md", "skill_disabled"],
    ["/mnt/skills/off", "skill_disabled"],
    ["/mnt/skills//./off/x", "skill_disabled"],
    ["/mnt/skills/code/../off/x", "traversal"],
    ["to-disabled", "link_escapes"],
    ["/mnt/skills", "outside_roots"],
    ["/mnt/skills-evil/x", "outside_roots"],
    ["/mnt/user-data/uploads/up.txt", "allowed"],
  ];

  it.each(reads)("answers a read of %j with %s", async (path, expected) => {
    expect(await reasonOf(fixture.sandbox.readFile(path))).toBe(expected);
  });

  const writes: readonly [string, string][] = [
    ["/mnt/skills/new.md", "read_only"],
    ["/mnt/skills/code/index.ts", "read_only"],
    ["/mnt/skills", "read_only"],
    ["/mnt/skills/other/new.md", "read_only"],
    ["/mnt/skills/off/new.md", "skill_disabled"],
    ["to-skill", "read_only"],
    ["to-skills/new.md", "read_only"],
    ["to-skills/new/new.md", "read_only"],
    ["to-secret", "link_escapes"],
    ["to-root/new.txt", "link_escapes"],
    ["to-etc/new.txt", "link_escapes"],
    ["../new.txt", "traversal"],
    ["/tmp/new.txt", "outside_roots"],
    ["fifo", "not_a_file"],
    ["sub", "is_a_directory"],
    [WORKSPACE, "is_a_directory"],
    ["file.txt/new", "not_a_directory"],
  ];

  it.each(writes)("answers a write of %j with %s", async (path, expected) => {
    expect(await reasonOf(fixture.sandbox.writeFile(path, "overwritten"))).toBe(expected);
    expect(await reasonOf(fixture.sandbox.writeFile(path, "overwritten", { append: true }))).toBe(expected);
    expect(await readFile(secret, "utf8")).toBe("host secret");
  });

  it.each([
    "../workspace-evil/x",
    `${WORKSPACE}/../workspace-evil/x`,
    "/mnt/user-data/workspace-evil/x",
    "%2e%2e%2fworkspace-evil%2fx",
    "%2e%2e/workspace-evil/x",
    "..\\workspace-evil\\x",
    "sub/..\\..\\workspace-evil\\x",
  ])("takes no sibling for the workspace, FC-H05: %j", async (path) => {
    await expect(fixture.sandbox.readFile(path)).rejects.toMatchObject({ code: "path_refused" });
    expect(await fixture.sandbox.stat(path).catch(() => undefined)).toBeUndefined();
    expect(await fixture.sandbox.readFile("sub/../file.txt").catch(refusalReasonOf)).toBe("traversal");
    expect(await fixture.sandbox.readFile(`${WORKSPACE}/sub/up/file.txt`)).toMatchObject({ text: "inside" });
  });

  it("applies to every operation, FC-H06", async () => {
    const { sandbox } = fixture;
    const signal = new AbortController().signal;
    const acts = [
      sandbox.list("to-etc"),
      sandbox.stat("to-etc/passwd"),
      sandbox.glob("*", { path: "to-etc" }),
      sandbox.grep({ pattern: "root", path: "to-etc" }),
      sandbox.replaceInFile("to-secret", "host", "x"),
      sandbox.run({ command: "true", timeoutMs: 5000, signal, cwd: "to-etc" }),
    ];

    expect(await Promise.all(acts.map(reasonOf))).toEqual(acts.map(() => "link_escapes"));
    expect(await reasonOf(sandbox.glob("../*"))).toBe("traversal");
    expect(await reasonOf(sandbox.glob("/etc/*"))).toBe("outside_roots");
  });

  it("writes through a link that stays inside, FC-H06", async () => {
    await symlink("sub/linked.txt", join(fixture.base, "workspace", "to-new"));

    await fixture.sandbox.writeFile("to-new", "through");

    expect(await readFile(join(fixture.base, "workspace/sub/linked.txt"), "utf8")).toBe("through");
  });

  it("never opens a socket", async () => {
    const server = createServer();
    const listening = new Promise<void>((resolve) => server.listen(join(fixture.base, "workspace", "socket"), resolve));
    await listening;

    expect(await reasonOf(fixture.sandbox.readFile("socket"))).toBe("not_a_file");

    await new Promise((resolve) => server.close(resolve));
  });

  it("shows no path of the host in a message", async () => {
    const message = await fixture.sandbox.readFile("to-secret").catch((error: unknown) => String(error));

    expect(message).toContain("/mnt/user-data/workspace/to-secret");
    expect(message).not.toContain(fixture.root);
  });

  it("leaves no descriptor open", async () => {
    await reasonOf(fixture.sandbox.readFile("sub/up/file.txt"));
    const before = await openBelow(fixture.root);

    for (const [path] of reads) await reasonOf(fixture.sandbox.readFile(path));

    expect(await openBelow(fixture.root)).toEqual(before);
  });
});

describe("links that a command makes", () => {
  it("lead no tool out of the workspace, FC-H06", async () => {
    await using fixture = await aFixture();
    const { sandbox } = fixture;
    const outside = join(fixture.root, "outside");
    await mkdir(outside);
    await writeFile(join(outside, "f.txt"), "host secret");
    const command = `ln -s ${outside} esc; ln -s / root; ln -s ${outside}/f.txt linked; mkdir d; echo here > d/f.txt; ln -s d in`;
    await sandbox.run({ command, timeoutMs: 20_000, signal: new AbortController().signal });

    const acts = [
      sandbox.writeFile("esc/p", "x"),
      sandbox.writeFile("esc/new/p", "x"),
      sandbox.writeFile("root/tmp/p", "x", { append: true }),
      sandbox.readFile("linked"),
      sandbox.replaceInFile("linked", "host", "x"),
      sandbox.stat("esc/f.txt"),
    ];
    expect(await Promise.all(acts.map(reasonOf))).toEqual(acts.map(() => "link_escapes"));
    expect((await sandbox.glob("**/*.txt")).paths).toEqual([`${WORKSPACE}/d/f.txt`]);
    expect((await sandbox.grep({ pattern: "secret|here" })).matches.map(({ path }) => path)).toEqual([
      `${WORKSPACE}/d/f.txt`,
    ]);
    expect(await sandbox.readFile("in/f.txt")).toMatchObject({ text: "here\n" });
    expect(await readdir(outside)).toEqual(["f.txt"]);
    expect(await readFile(join(outside, "f.txt"), "utf8")).toBe("host secret");
  });
});

describe("a directory swapped for a link during the walk", () => {
  it("is never followed out of the workspace, FC-H06", async () => {
    await using fixture = await aFixture();
    const secret = join(fixture.root, "outside");
    await mkdir(secret);
    await writeFile(join(secret, "f"), "host secret");
    const workspace = join(fixture.base, "workspace");
    await mkdir(join(workspace, "real"));
    await writeFile(join(workspace, "real", "f"), "inside");
    await symlink(secret, join(workspace, "evil"));
    // Exchanges two names as fast as it can, on the host, where the path leads the same way.
    const script = `cd ${workspace}; while :; do mv -T real d; mv -T d real; mv -T evil d; mv -T d evil; done`;
    const swapper = execFile("bash", ["-c", script]);

    const seen = new Set<string>();
    for (let round = 0; round < 300; round += 1) {
      const text = await fixture.sandbox.readFile("d/f").then(
        (result) => (result.kind === "text" ? result.text : "binary"),
        () => "refused",
      );
      seen.add(text);
      await fixture.sandbox.writeFile(`d/new-${round}`, "x").catch(() => undefined);
    }
    swapper.kill("SIGKILL");

    expect([...seen]).not.toContain("host secret");
    expect(await readdir(secret)).toEqual(["f"]);
    expect(seen.has("refused")).toBe(true);
  });
});
