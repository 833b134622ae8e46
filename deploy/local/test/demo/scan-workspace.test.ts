import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { scanWorkspace } from "../../src/demo/workspace/scan-workspace.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const limits = { max_files: 1000, max_bytes: 1024 ** 3 };

async function pathsOf(folder: string): Promise<readonly string[]> {
  const { files } = await scanWorkspace(folder, limits);
  return files.map((file) => file.path).toSorted();
}

describe("the files of a workspace", () => {
  it("honour .gitignore files, the deepest that has a say first", async () => {
    const folder = temporaryFolder({
      ".gitignore": "*.log\n/build/\nsecret*\n",
      "keep.ts": "1",
      "trace.log": "1",
      "build/out.js": "1",
      "sub/build/kept.js": "1",
      "sub/.gitignore": "!trace.log\n*.tmp\n",
      "sub/trace.log": "1",
      "sub/a.tmp": "1",
      "sub/deep/b.tmp": "1",
      "sub/secret.txt": "1",
      "Secret.txt": "1",
    });

    expect(await pathsOf(folder)).toEqual(
      [".gitignore", "Secret.txt", "keep.ts", "sub/.gitignore", "sub/build/kept.js", "sub/trace.log"].toSorted(),
    );
  });

  it("are never those of .git, node_modules and .antler", async () => {
    const folder = temporaryFolder({
      "a.ts": "1",
      ".git/config": "1",
      "node_modules/x/index.js": "1",
      "sub/node_modules/x/index.js": "1",
      ".antler/format": "1",
    });

    expect(await pathsOf(folder)).toEqual(["a.ts"]);
  });

  it("keep names with blanks, line breaks, emoji, composed and decomposed letters", async () => {
    const names = ["a b.ts", "a\nb.ts", "😀.ts", "\u00e9.ts", "e\u0301.ts", "a\\b.ts", "...", "-n.ts"];
    const folder = temporaryFolder(Object.fromEntries(names.map((name) => [name, "1"])));

    expect(await pathsOf(folder)).toEqual(names.toSorted());
  });

  it("leave out links, also in a loop, and pipes, and say so", async () => {
    const folder = temporaryFolder({ "a.ts": "12" });
    symlinkSync("loop-b", join(folder, "loop-a"));
    symlinkSync("loop-a", join(folder, "loop-b"));
    symlinkSync("..", join(folder, "up"));
    execFileSync("mkfifo", [join(folder, "pipe")]);

    const scan = await scanWorkspace(folder, limits);

    expect(scan.leftOut.toSorted()).toEqual(["loop-a", "loop-b", "pipe", "up"]);
    expect(scan).toMatchObject({ sizeBytes: 2, files: [{ path: "a.ts", sizeBytes: 2 }] });
  });

  it("may be named by a link to their directory", async () => {
    const folder = temporaryFolder({ "real/a.ts": "1" });
    symlinkSync("real", join(folder, "link"));

    expect(await pathsOf(join(folder, "link"))).toEqual(["a.ts"]);
  });
});

describe("a workspace that cannot be taken", () => {
  it("is missing", async () => {
    await expect(scanWorkspace("/nowhere/at/all", limits)).rejects.toThrow("/nowhere/at/all: it does not exist");
  });

  it("is a file", async () => {
    const folder = temporaryFolder({ "a.ts": "1" });

    await expect(scanWorkspace(join(folder, "a.ts"), limits)).rejects.toThrow("it is not a directory");
  });

  it("is a link loop", async () => {
    const folder = temporaryFolder();
    symlinkSync("loop", join(folder, "loop"));

    await expect(scanWorkspace(join(folder, "loop"), limits)).rejects.toThrow("its symbolic links form a loop");
  });

  it("is empty, or all of it is ignored", async () => {
    await expect(scanWorkspace(temporaryFolder(), limits)).rejects.toThrow("holds no files");
    await expect(scanWorkspace(temporaryFolder({ ".gitignore": "*" }), limits)).rejects.toThrow("holds no files");
  });

  it("has a name that is not UTF-8", async () => {
    const folder = temporaryFolder({ "a.ts": "1" });
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/bad`), Buffer.from([0xff]), Buffer.from(".ts")]), "1");

    await expect(scanWorkspace(folder, limits)).rejects.toThrow(/The name "bad\\xff\.ts" in .* is not UTF-8; rename/);
  });

  it("has more files than the limit", async () => {
    const folder = temporaryFolder({ "a.ts": "1", "b.ts": "1", "c.ts": "1" });

    await expect(scanWorkspace(folder, { ...limits, max_files: 2 })).rejects.toThrow(
      "more than 2 files (sandbox.upload.max_files)",
    );
  });

  it("has a sparse file over the limit, which is named", async () => {
    const folder = temporaryFolder({ "a.ts": "1", "disk.img": "" });
    truncateSync(join(folder, "disk.img"), 2 * 1024 ** 3);

    await expect(scanWorkspace(folder, limits)).rejects.toThrow(
      /2147 MB, more than 1074 MB \(sandbox\.upload\.max_bytes\); the largest: disk\.img 2147 MB/,
    );
  });

  it("never opens a pipe that is called .gitignore", async () => {
    const folder = temporaryFolder({ "a.ts": "1" });
    mkdirSync(join(folder, "sub"));
    execFileSync("mkfifo", [join(folder, "sub/.gitignore")]);

    expect(await pathsOf(folder)).toEqual(["a.ts"]);
  });
});
