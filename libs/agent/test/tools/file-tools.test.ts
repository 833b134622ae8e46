import type { StructuredToolInterface } from "@langchain/core/tools";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { parseConfig } from "@antler/contracts";
import { newId } from "@antler/platform";
import type { Sandbox } from "@antler/sandbox";

import { createTools, TOOL_GROUPS } from "../../src/tools/tool-catalog.ts";
import { TOOL_RESULTS_FOLDER } from "../../src/tools/tool-results-folder.ts";
import { aConfig, openWorkspaces, type TestWorkspaces } from "../support/executions.ts";

const WORKSPACE = "/mnt/user-data/workspace";

let opened: TestWorkspaces;

beforeAll(async () => {
  opened = await openWorkspaces(aConfig("http://127.0.0.1:1/v1"));
});
afterAll(() => opened[Symbol.asyncDispose]());

interface Bench {
  readonly sandbox: Sandbox;
  readonly use: (name: string, args: Record<string, unknown>) => Promise<string>;
}

/** The tools of one execution on a thread of its own, or on the one given. */
async function aBench(threadId = newId(), timeoutSeconds = 5): Promise<Bench> {
  const sandbox = await opened.workspaces.open("default", threadId);
  const signal = new AbortController().signal;
  const config = parseConfig({ sandbox: { command_timeout_seconds: timeoutSeconds } }, {});
  const tools = new Map<string, StructuredToolInterface>(
    createTools(Object.keys(TOOL_GROUPS), { config, sandbox, signal }).map((tool) => [tool.name, tool]),
  );
  return {
    sandbox,
    use: async (name, args) => String(await tools.get(name)!.invoke({ description: "test", ...args })),
  };
}

describe("bash", () => {
  it("returns output of both streams in order", async () => {
    const { use } = await aBench();

    expect(await use("bash", { command: "echo one; echo two >&2; echo three" })).toBe("one\ntwo\nthree");
  });

  it("says so when there is no output", async () => {
    const { use } = await aBench();

    expect(await use("bash", { command: "true" })).toBe("(no output)");
  });

  it("ends with the exit code when it is not 0", async () => {
    const { use } = await aBench();

    expect(await use("bash", { command: "echo bad; exit 3" })).toBe("bad\nExit Code: 3");
  });

  it("leaves out the middle of output over 20,000 characters", async () => {
    const { use } = await aBench();
    const output = await use("bash", { command: "echo BEGIN; head -c 100000 /dev/zero | tr '\\0' x; echo; echo END" });

    expect(output.length).toBeLessThanOrEqual(20_000);
    expect(output).toMatch(/^BEGIN\n/);
    expect(output).toMatch(/\nEND$/);
  });

  it("kills a command at its time limit and keeps what it wrote", async () => {
    const { use } = await aBench(newId(), 1);

    expect(await use("bash", { command: "echo begun; sleep 60" })).toBe(
      "begun\nError: Command timed out after 1 seconds and was killed",
    );
  });
});

describe("write_file and read_file", () => {
  it("write a file, read it back, and read some of its lines", async () => {
    const { use } = await aBench();
    const path = `${WORKSPACE}/notes/a b é.txt`;

    expect(await use("write_file", { path, content: "one\ntwo\nthree\n" })).toBe("OK");
    expect(await use("read_file", { path })).toBe("one\ntwo\nthree\n");
    expect((await use("read_file", { path, start_line: 2, end_line: 2 })).trimEnd()).toBe("two");
    expect(await use("write_file", { path, content: "four\n", append: true })).toBe("OK");
    expect(await use("read_file", { path })).toBe("one\ntwo\nthree\nfour\n");
  });

  it("cuts a file at 50,000 characters and says how to read on", async () => {
    const { sandbox, use } = await aBench();
    await sandbox.run({
      command: "head -c 60000 /dev/zero | tr '\\0' y > big.txt",
      timeoutMs: 5000,
      signal: AbortSignal.timeout(5000),
    });
    const text = await use("read_file", { path: `${WORKSPACE}/big.txt` });

    expect(text).toMatch(/^y{50000}\n\.\.\. cut at 50000 characters/);
  });

  it("refuse content over 80 KB unless it is appended", async () => {
    const { use } = await aBench();
    const path = `${WORKSPACE}/large.txt`;
    const content = "z".repeat(90_000);

    expect(await use("write_file", { path, content })).toMatch(/^Error: .*80 KB.*append/);
    expect(await use("write_file", { path, content, append: true })).toBe("OK");
  });

  it("never replace a file that was not read in its current version", async () => {
    const threadId = newId();
    const mine = await aBench(threadId);
    const other = await aBench(threadId);
    const path = `${WORKSPACE}/shared.txt`;
    await other.use("write_file", { path, content: "theirs" });

    const blocked =
      `Error: write_file blocked — ${path} already exists and you have not read its current version. ` +
      "Read it with read_file first, then repeat the call.";
    expect(await mine.use("write_file", { path, content: "mine" })).toBe(blocked);
    await mine.use("read_file", { path });
    expect(await mine.use("write_file", { path: "shared.txt", content: "mine" })).toBe("OK");
    expect(await mine.use("write_file", { path, content: "mine again" })).toBe("OK");
    expect(await other.use("write_file", { path, content: "theirs again" })).toBe(blocked);
  });

  it.each([
    ["outside the roots", "/etc/passwd"],
    ["above the roots", `${WORKSPACE}/../../../etc/passwd`],
    ["that does not exist", `${WORKSPACE}/nothing`],
    ["that is a directory", WORKSPACE],
  ])("answer a path %s with an error and no path of the host", async (_name, path) => {
    const { use } = await aBench();
    const text = await use("read_file", { path });

    expect(text).toMatch(/^Error: /);
    expect(text).not.toContain("antler-agent-");
  });

  it("say that a file is binary instead of showing it", async () => {
    const { sandbox, use } = await aBench();
    await sandbox.run({ command: "printf 'a\\000b' > bin", timeoutMs: 5000, signal: AbortSignal.timeout(5000) });

    expect(await use("read_file", { path: `${WORKSPACE}/bin` })).toBe(
      `Error: ${WORKSPACE}/bin is a binary file of 3 bytes`,
    );
  });
});

describe("str_replace", () => {
  it("replaces the first occurrence, or all", async () => {
    const { use } = await aBench();
    const path = `${WORKSPACE}/r.txt`;
    await use("write_file", { path, content: "a b a b" });

    expect(await use("str_replace", { path, old_str: "a", new_str: "c" })).toBe("OK");
    expect(await use("read_file", { path })).toBe("c b a b");
    expect(await use("str_replace", { path, old_str: "b", new_str: "d", replace_all: true })).toBe("OK");
    expect(await use("read_file", { path })).toBe("c d a d");
  });

  it("says when the text is not there", async () => {
    const { use } = await aBench();
    const path = `${WORKSPACE}/r.txt`;
    await use("write_file", { path, content: "a" });

    expect(await use("str_replace", { path, old_str: "x", new_str: "y" })).toBe(
      `Error: String to replace not found in file: ${path}`,
    );
  });
});

describe("ls, glob and grep", () => {
  it("find what is there", async () => {
    const { use } = await aBench();
    await use("write_file", { path: `${WORKSPACE}/src/one.ts`, content: "const needle = 1;\n" });
    await use("write_file", { path: `${WORKSPACE}/src/two.py`, content: "NEEDLE = 2\n" });

    expect(await use("ls", { path: WORKSPACE })).toBe(
      [`${WORKSPACE}/src/`, `${WORKSPACE}/src/one.ts`, `${WORKSPACE}/src/two.py`].join("\n"),
    );
    expect(await use("glob", { pattern: "**/*.ts" })).toBe(`${WORKSPACE}/src/one.ts`);
    expect((await use("grep", { pattern: "needle" })).split("\n")).toEqual([
      `${WORKSPACE}/src/one.ts:1: const needle = 1;`,
      `${WORKSPACE}/src/two.py:1: NEEDLE = 2`,
    ]);
    expect(await use("grep", { pattern: "needle", glob: "*.py", case_sensitive: true })).toBe("No lines match");
  });

  it("hold their limits and say so", async () => {
    const { sandbox, use } = await aBench();
    const make = "mkdir many && cd many && for i in $(seq 250); do echo hit > f$i.txt; done";
    await sandbox.run({ command: make, timeoutMs: 20_000, signal: AbortSignal.timeout(20_000) });

    const paths = (await use("glob", { pattern: "**/*.txt" })).split("\n");
    expect(paths).toHaveLength(201);
    expect(paths.at(-1)).toBe("... only the first 200 are shown");
    const matches = (await use("grep", { pattern: "hit" })).split("\n");
    expect(matches).toHaveLength(101);
    expect(matches.at(-1)).toBe("... only the first 100 matches are shown");
  });

  it("say that an empty directory is empty", async () => {
    const { use } = await aBench();

    expect(await use("ls", { path: WORKSPACE })).toBe("(empty)");
    expect(await use("glob", { pattern: "*.zip" })).toBe("No files match");
  });
});

describe("a whole output that was stored", () => {
  it("is found by ls, glob and grep like any other file, and read", async () => {
    const { sandbox, use } = await aBench();
    const path = `${TOOL_RESULTS_FOLDER}/bash-1.txt`;
    await sandbox.writeFile(path, "the whole output");

    expect(await use("ls", { path: "/mnt/user-data/outputs" })).toContain(path);
    expect(await use("glob", { pattern: "**/*.txt", path: "/mnt/user-data/outputs" })).toContain(path);
    expect(await use("grep", { pattern: "whole", path: "/mnt/user-data/outputs" })).toContain(path);
    expect(await use("read_file", { path })).toBe("the whole output");
  });
});
