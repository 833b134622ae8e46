import { mkdir, open, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createPathResolver } from "../src/path-resolver.ts";
import { grepFiles } from "../src/search-files.ts";
import { createSearchThreads } from "../src/search-threads.ts";
import type { Fixture } from "./support.ts";
import { aFixture } from "./support.ts";

const WORKSPACE = "/mnt/user-data/workspace";
let fixture: Fixture;

beforeAll(async () => {
  fixture = await aFixture();
  const put = async (name: string, contents: string | Buffer) => {
    await mkdir(join(fixture.base, "workspace", name, ".."), { recursive: true });
    await writeFile(join(fixture.base, "workspace", name), contents);
  };
  await put("a.py", "import os\nprint('x.y')\nxzy\n");
  await put("src/b.py", "Import\r\n");
  await put("src/deep/c.ts", "import fs\n");
  await put(".hidden", "import\n");
  await put(".git/config", "import\n");
  await put("node_modules/m/i.js", "import\n");
  await put("binary", Buffer.from("import\0"));
  await put("many.txt", "hit\n".repeat(500));
  await Promise.all(Array.from({ length: 250 }, (_, index) => put(`lots/${index}.log`, "")));
  const sparse = await open(join(fixture.base, "workspace", "sparse"), "w");
  await sparse.truncate(2 ** 31);
  await sparse.close();
});
afterAll(() => fixture[Symbol.asyncDispose]());

describe("glob", () => {
  it.each([
    ["*.py", ["a.py"]],
    ["**/*.py", ["a.py", "src/b.py"]],
    ["./**/*.{ts,py}", ["a.py", "src/b.py", "src/deep/c.ts"]],
    [`${WORKSPACE}/src/*`, ["src/b.py"]],
    ["node_modules/**", ["node_modules/m/i.js"]],
    [".hidden", [".hidden"]],
    ["nothing*", []],
  ])("finds %j", async (pattern, expected) => {
    const { paths } = await fixture.sandbox.glob(pattern);

    expect(paths).toEqual(expected.map((path) => `${WORKSPACE}/${path}`));
  });

  it("finds at most 200 and says so", async () => {
    const result = await fixture.sandbox.glob("lots/*", { limit: 1000 });

    expect(result.paths).toHaveLength(200);
    expect(result.truncated).toBe(true);
  });

  it("refuses a pattern that cannot be read", async () => {
    await expect(fixture.sandbox.glob("")).rejects.toMatchObject({ code: "invalid_request" });
  });
});

describe("grep", () => {
  const found = async (request: Parameters<Fixture["sandbox"]["grep"]>[0]) =>
    (await fixture.sandbox.grep(request)).matches.map(
      ({ path, line, text }) => `${path.slice(WORKSPACE.length + 1)}:${line}:${text}`,
    );

  it("searches text files by a regular expression, without what tools made", async () => {
    expect(await found({ pattern: "^import\\b" })).toEqual([
      ".hidden:1:import",
      "a.py:1:import os",
      "src/deep/c.ts:1:import fs",
    ]);
  });

  it("takes a pattern literally, ignores case, filters by file name", async () => {
    expect(await found({ pattern: "x.y", literal: true })).toEqual(["a.py:2:print('x.y')"]);
    expect(await found({ pattern: "import", ignoreCase: true, glob: "*.py" })).toEqual([
      "a.py:1:import os",
      "src/b.py:1:Import",
    ]);
    expect(await found({ pattern: "(?i)IMPORT$", path: "src" })).toEqual(["src/b.py:1:Import"]);
    expect(await found({ pattern: "import", path: "src/deep/c.ts" })).toEqual(["src/deep/c.ts:1:import fs"]);
  });

  it("finds at most 100 and says so", async () => {
    const result = await fixture.sandbox.grep({ pattern: "hit", limit: 1000 });

    expect(result.matches).toHaveLength(100);
    expect(result).toMatchObject({ truncated: true, timedOut: false });
  });

  it("refuses an expression that cannot be read", async () => {
    await expect(fixture.sandbox.grep({ pattern: "(" })).rejects.toMatchObject({ code: "invalid_request" });
    expect(await found({ pattern: "(", literal: true, glob: "*.py" })).toEqual(["a.py:2:print('x.y')"]);
  });

  it("stops an expression that runs away, and gives what was found", async () => {
    await writeFile(join(fixture.base, "outputs", "a.txt"), "aab\n");
    await writeFile(join(fixture.base, "outputs", "b.txt"), `${"a".repeat(60)}!\n`);
    const roots = [{ virtual: "/mnt/user-data/outputs", host: join(fixture.base, "outputs"), readOnly: false }];
    const threads = createSearchThreads();
    const deps = { resolver: createPathResolver(roots), threads, timeoutMs: 5000 };
    await grepFiles(deps, { pattern: "warm", path: "/mnt/user-data/outputs" });

    const result = await grepFiles(deps, { pattern: "^(a+)+b?$|aab", path: "/mnt/user-data/outputs" });

    expect(result.timedOut).toBe(true);
    expect(result.matches).toEqual([{ path: "/mnt/user-data/outputs/a.txt", line: 1, text: "aab" }]);
    await threads.close();
  });

  it("ends at an abort with its reason", async () => {
    const controller = new AbortController();
    const search = fixture.sandbox.grep({ pattern: "import", signal: controller.signal });
    controller.abort(new Error("cancelled by the user"));

    await expect(search).rejects.toThrow("cancelled by the user");
  });
});
