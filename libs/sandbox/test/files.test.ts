import { chmod, open, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { READ_MAX_CHARS, WRITE_MAX_BYTES } from "../src/index.ts";
import type { Fixture } from "./support.ts";
import { aFixture } from "./support.ts";

let fixture: Fixture;
beforeEach(async () => {
  fixture = await aFixture();
});
afterEach(() => fixture[Symbol.asyncDispose]());

const host = (name: string) => join(fixture.base, "workspace", name);
const put = (name: string, contents: string | Buffer) => writeFile(host(name), contents);

async function sparse(name: string, sizeBytes: number): Promise<void> {
  const handle = await open(host(name), "a");
  await handle.truncate(sizeBytes);
  await handle.close();
}

describe("readFile", () => {
  const textOf = async (path: string, options = {}) => {
    const result = await fixture.sandbox.readFile(path, options);
    return result.kind === "text" ? result.text : result.kind;
  };

  it("gives the wanted lines, ends included", async () => {
    await put("f", "one\ntwo\r\nthree\nfour");

    expect(await textOf("f")).toBe("one\ntwo\r\nthree\nfour");
    expect(await textOf("f", { startLine: 2, endLine: 3 })).toBe("two\r\nthree\n");
    expect(await textOf("f", { startLine: 4 })).toBe("four");
    expect(await textOf("f", { endLine: 1 })).toBe("one\n");
    expect(await textOf("f", { startLine: 9 })).toBe("");
  });

  it("finds lines across chunks, characters split between them", async () => {
    const lines = Array.from({ length: 40_000 }, (_, index) => `é🙂${index}`);
    await put("f", lines.join("\n"));

    expect(await textOf("f", { startLine: 30_001, endLine: 30_002 })).toBe("é🙂30000\né🙂30001\n");
  });

  it("cuts at 50,000 characters, never inside a surrogate pair", async () => {
    await put("f", `a${"🙂".repeat(READ_MAX_CHARS)}`);

    const result = await fixture.sandbox.readFile("f", { maxChars: 1_000_000 });

    expect(result).toMatchObject({ kind: "text", truncated: true });
    expect(result.kind === "text" && result.text.length).toBe(READ_MAX_CHARS - 1);
    expect(result.kind === "text" && result.text.isWellFormed()).toBe(true);
  });

  it("names a binary file as such, a sparse one of 2 GiB without reading it", async () => {
    await put("binary", Buffer.from([0x7f, 0x45, 0, 1]));
    await sparse("sparse", 2 ** 31);

    expect(await fixture.sandbox.readFile("binary")).toEqual({ kind: "binary", sizeBytes: 4 });
    expect(await fixture.sandbox.readFile("sparse")).toEqual({ kind: "binary", sizeBytes: 2 ** 31 });
  });

  it("reads the beginning of a huge file that begins as text, and looks for a line only so far", async () => {
    await put("huge", "line\n".repeat(20_000));
    await sparse("huge", 2 ** 31);

    expect(await textOf("huge", { endLine: 1 })).toBe("line\n");
    expect(await fixture.sandbox.readFile("huge", { startLine: 10 ** 9 })).toMatchObject({ text: "", truncated: true });
  });

  it("refuses lines that make no sense", async () => {
    await put("f", "x");

    await expect(fixture.sandbox.readFile("f", { startLine: 0 })).rejects.toMatchObject({ code: "invalid_request" });
    await expect(fixture.sandbox.readFile("f", { startLine: 3, endLine: 2 })).rejects.toMatchObject({
      code: "invalid_request",
    });
  });
});

describe("writeFile", () => {
  it("makes directories, replaces, appends and leaves nothing else behind", async () => {
    await fixture.sandbox.writeFile("a/b/c.txt", "first");
    await fixture.sandbox.writeFile("a/b/c.txt", "second");
    await fixture.sandbox.writeFile("a/b/c.txt", " third", { append: true });

    expect(await readFile(host("a/b/c.txt"), "utf8")).toBe("second third");
    expect(await readdir(host("a/b"))).toEqual(["c.txt"]);
  });

  it("keeps the permissions of a file that it replaces", async () => {
    await put("tool.sh", "old");
    await chmod(host("tool.sh"), 0o755);

    await fixture.sandbox.writeFile("tool.sh", "new");

    expect((await stat(host("tool.sh"))).mode & 0o777).toBe(0o755);
  });

  it("refuses more than 80 KB at once, but appends it", async () => {
    const large = "é".repeat(WRITE_MAX_BYTES / 2) + "x";

    const refusal = fixture.sandbox.writeFile("large", large);

    await expect(refusal).rejects.toThrow("Field content exceeds 80 KB");
    await fixture.sandbox.writeFile("large", large, { append: true });
    expect((await stat(host("large"))).size).toBe(WRITE_MAX_BYTES + 1);
  });

  it("serialises writers of one file, so that no append is lost", async () => {
    const writers = Array.from({ length: 20 }, (_, index) =>
      fixture.sandbox.writeFile("log", `${index}\n`, { append: true }),
    );
    await Promise.all([
      ...writers,
      fixture.workspaces.open("default", "t1").then((other) => other.writeFile("log", "x\n", { append: true })),
    ]);

    expect((await readFile(host("log"), "utf8")).split("\n")).toHaveLength(22);
  });
});

describe("replaceInFile", () => {
  it("replaces the first occurrence, or all", async () => {
    await put("f", "aXbXc");

    expect(await fixture.sandbox.replaceInFile("f", "X", "$&")).toEqual({ replacements: 1 });
    expect(await readFile(host("f"), "utf8")).toBe("a$&bXc");
    expect(await fixture.sandbox.replaceInFile("f", "b", "b", { all: true })).toEqual({ replacements: 1 });
  });

  it("says 0 and touches nothing when the text is not there", async () => {
    await put("f", "abc");
    const before = await stat(host("f"));

    expect(await fixture.sandbox.replaceInFile("f", "zzz", "y", { all: true })).toEqual({ replacements: 0 });
    expect((await stat(host("f"))).ino).toBe(before.ino);
  });

  it("keeps bytes that are not UTF-8", async () => {
    await put("latin", Buffer.from("caf\xe9 old \xff", "latin1"));

    await fixture.sandbox.replaceInFile("latin", "old", "neu");

    expect((await readFile(host("latin"))).toString("latin1")).toBe("caf\xe9 neu \xff");
  });

  const CRLF = "\ufeffone\r\ntwo\r\nthree\r\ntwo\r\n";
  const MIXED = "one\r\ntwo\nthree\r\ntwo\r\nthree\nlast é";
  interface Edit {
    readonly what: string;
    readonly before: string;
    readonly edit: readonly [oldText: string, newText: string];
    readonly all?: boolean;
    readonly after: string;
  }
  const edits: readonly Edit[] = [
    { what: "one line of CRLF", before: CRLF, edit: ["one", "1"], after: CRLF.replace("one", "1") },
    { what: "each such line of CRLF", before: CRLF, edit: ["two", "2"], all: true, after: CRLF.replaceAll("two", "2") },
    {
      what: "two lines of CRLF by LF",
      before: CRLF,
      edit: ["two\nthree\n", "2\n3\n"],
      after: CRLF.replace("two\r\nthree", "2\r\n3"),
    },
    {
      what: "a line that becomes two",
      before: CRLF,
      edit: ["three", "3a\n3b"],
      after: CRLF.replace("three", "3a\r\n3b"),
    },
    {
      what: "two lines that become three",
      before: CRLF,
      edit: ["one\ntwo", "1\n1b\n2"],
      after: CRLF.replace("one\r\ntwo", "1\r\n1b\r\n2"),
    },
    { what: "one line of mixed ends", before: MIXED, edit: ["two", "2"], after: MIXED.replace("two", "2") },
    {
      what: "each pair of lines of mixed ends",
      before: MIXED,
      edit: ["two\nthree\n", "2\n3\n"],
      all: true,
      after: MIXED.replace("two\nthree\r\n", "2\n3\r\n").replace("two\r\nthree\n", "2\r\n3\n"),
    },
    {
      what: "the last line, which has no end",
      before: MIXED,
      edit: ["last", "l\nast"],
      after: MIXED.replace("last", "l\nast"),
    },
    {
      what: "line ends given as they are",
      before: CRLF,
      edit: ["one\r\n", "one\n"],
      after: CRLF.replace("one\r\n", "one\n"),
    },
    { what: "a file without any line end", before: "ab", edit: ["a", "a\n"], after: "a\nb" },
    {
      what: "text with signs of expressions",
      before: "a.c\r\n$&(x)\r\n",
      edit: [".c\n$&(", "$1\n["],
      after: "a$1\r\n[x)\r\n",
    },
  ];
  it.each(edits)("keeps BOM and line ends, FC-H14: $what", async ({ before, edit: [oldText, newText], all, after }) => {
    await put("f", before);

    const { replacements } = await fixture.sandbox.replaceInFile("f", oldText, newText, { all: all === true });

    expect(replacements).toBeGreaterThan(0);
    expect(await readFile(host("f"), "utf8")).toBe(after);
  });

  it("matches what was read of a file with BOM and CRLF, FC-H14", async () => {
    await put("f", Buffer.from(CRLF));
    const read = await fixture.sandbox.readFile("f", { endLine: 2 });

    await fixture.sandbox.replaceInFile("f", read.kind === "text" ? read.text : "", "head\r\n");

    expect(await readFile(host("f"), "utf8")).toBe("\ufeffhead\r\nthree\r\ntwo\r\n");
  });

  it("loses no edit of siblings that edit at once", async () => {
    await put("f", Array.from({ length: 12 }, (_, index) => `<${index}>`).join(""));

    await Promise.all(
      Array.from({ length: 12 }, (_, index) => fixture.sandbox.replaceInFile("f", `<${index}>`, `[${index}]`)),
    );

    expect(await readFile(host("f"), "utf8")).not.toContain("<");
  });

  it("refuses an empty text, a binary file and one that is too large", async () => {
    await put("bin", Buffer.from([1, 0, 2]));
    await sparse("huge", 2 ** 31);
    await put("f", "x");

    await expect(fixture.sandbox.replaceInFile("f", "", "y")).rejects.toMatchObject({ code: "invalid_request" });
    await expect(fixture.sandbox.replaceInFile("bin", "x", "y")).rejects.toMatchObject({
      details: { reason: "binary" },
    });
    await expect(fixture.sandbox.replaceInFile("huge", "x", "y")).rejects.toMatchObject({
      details: { reason: "too_large" },
    });
  });
});

describe("list and stat", () => {
  it("lists two levels, sorted, without following links", async () => {
    await fixture.sandbox.writeFile("b/c/d.txt", "x");
    await fixture.sandbox.writeFile("a.txt", "x");
    await fixture.sandbox.run({
      command: "ln -s b link; mkfifo pipe",
      timeoutMs: 10_000,
      signal: AbortSignal.timeout(20_000),
    });

    const { entries, truncated } = await fixture.sandbox.list("/mnt/user-data/workspace");

    expect(truncated).toBe(false);
    expect(entries.map(({ path, kind }) => `${path.slice("/mnt/user-data/workspace/".length)} ${kind}`)).toEqual([
      "a.txt file",
      "b directory",
      "b/c directory",
      "link link",
      "pipe other",
    ]);
    expect((await fixture.sandbox.list(".", { depth: 3 })).entries.map((entry) => entry.path)).toContain(
      "/mnt/user-data/workspace/b/c/d.txt",
    );
  });

  it("lists the roots at /mnt/user-data", async () => {
    expect((await fixture.sandbox.list("/mnt/user-data/")).entries.map((entry) => entry.path)).toEqual([
      "/mnt/user-data/workspace",
      "/mnt/user-data/uploads",
      "/mnt/user-data/outputs",
    ]);
  });

  it("says how large a file is and undefined for what is not there", async () => {
    await put("f", "12345");

    expect(await fixture.sandbox.stat("f")).toMatchObject({ kind: "file", sizeBytes: 5 });
    expect(await fixture.sandbox.stat("no/such")).toBeUndefined();
    expect(await fixture.sandbox.stat("/mnt/user-data/outputs")).toMatchObject({ kind: "directory" });
  });
});

describe("names that are not plain", () => {
  const names = [
    "with space.txt",
    "line\nbreak.txt",
    "emoji 🙂.txt",
    "nfd e\u0301.txt",
    "quote'\"$(x).txt",
    "back\\slash",
    "-rf",
  ];

  it.each(names)("keeps %j through write, list and read", async (name) => {
    await fixture.sandbox.writeFile(name, "held");

    const { entries } = await fixture.sandbox.list(".");
    const shown = entries[0]?.path ?? "";

    expect(entries).toHaveLength(1);
    expect(shown).not.toContain("\n");
    expect(await readdir(join(fixture.base, "workspace"))).toEqual([name]);
    expect(await fixture.sandbox.readFile(shown)).toMatchObject({ text: "held" });
  });

  it("shows bytes that are not UTF-8 so that every operation finds them again", async () => {
    const name = Buffer.concat([Buffer.from(host("d\xe9p").normalize("NFC")), Buffer.from([0xff, 0x2d, 0xe9])]);
    await writeFile(name, "bytes");

    const shown = (await fixture.sandbox.list(".")).entries[0]?.path ?? "";

    expect(shown).toBe("/mnt/user-data/workspace/dép\\xff-\\xe9");
    expect(await fixture.sandbox.readFile(shown)).toMatchObject({ text: "bytes" });
    expect((await fixture.sandbox.glob("**/*")).paths).toEqual([shown]);
    expect((await fixture.sandbox.grep({ pattern: "bytes" })).matches[0]?.path).toBe(shown);
    await fixture.sandbox.writeFile(shown, "again");
    expect(await readFile(name, "utf8")).toBe("again");
    await fixture.workspaces.delete("default", "t1");
    await expect(stat(fixture.base)).rejects.toMatchObject({ code: "ENOENT" });
  });
});

describe("a path of very many directories", () => {
  it("is refused", async () => {
    const refusal = fixture.sandbox.writeFile(`${"d/".repeat(1500)}f`, "x");

    await expect(refusal).rejects.toMatchObject({ code: "path_refused", details: { reason: "bad_name" } });
  });
});
