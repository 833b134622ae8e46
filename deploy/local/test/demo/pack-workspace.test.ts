import { truncateSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { extract } from "tar-stream";
import { describe, expect, it } from "vitest";

import { packWorkspace } from "../../src/demo/workspace/pack-workspace.ts";
import { scanWorkspace } from "../../src/demo/workspace/scan-workspace.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const limits = { max_files: 1000, max_bytes: 1024 ** 3 };

describe("the archive of a workspace", () => {
  it("holds every file under its own name, whatever it is", async () => {
    const files = {
      "empty.txt": "",
      "a b/é 😀.ts": "one\ntwo\n",
      "line\nbreak.py": "x\n",
      [`${"deep/".repeat(30)}file.md`]: "# Deep\n",
      "large.bin": "x".repeat(300_000),
    };
    const { files: found } = await scanWorkspace(temporaryFolder(files), limits);
    const entries: Record<string, string> = {};

    const archive = extract();
    packWorkspace(found).pipe(archive);
    for await (const entry of archive) entries[entry.header.name] = await text(entry as AsyncIterable<Buffer>);

    expect(entries).toEqual(files);
  });

  it("fails with the name of a file that shrinks meanwhile", async () => {
    const folder = temporaryFolder({ "a.ts": "x".repeat(1000) });
    const { files } = await scanWorkspace(folder, limits);
    truncateSync(join(folder, "a.ts"), 10);

    await expect(text(packWorkspace(files))).rejects.toThrow("a.ts shrank while it was uploaded");
  });
});
