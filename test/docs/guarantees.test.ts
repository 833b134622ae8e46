import { readFile } from "node:fs/promises";
import { resolve } from "node:path";

import { expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");

interface Row {
  readonly fault: string;
  readonly file: string;
  readonly title: string;
}

async function rowsOfPage(): Promise<Row[]> {
  const page = await readFile(resolve(root, "docs/guarantees.md"), "utf8");
  const lines = page.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| fault"));
  return lines
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .filter(([, fault = ""]) => !fault.startsWith("---"))
    .map(([, fault = "", , test = ""]) => {
      const [, file = "", title = ""] = /^`([^`]+)` (.+)$/.exec(test) ?? [];
      return { fault, file, title };
    });
}

/** Titles of tests as they stand in a file. */
async function titlesIn(file: string): Promise<string[]> {
  const text = await readFile(resolve(root, file), "utf8").catch(() => "");
  return [...text.matchAll(/"((?:[^"\\\n]|\\.)+)"/g)].map(([, title = ""]) => title);
}

const rows = await rowsOfPage();

it("has the faults of every file of the suite", () => {
  expect(new Set(rows.map(({ file }) => file)).size).toBeGreaterThanOrEqual(6);
});

it.each(rows)("docs/guarantees.md names a test that exists for: $fault", async ({ file, title }) => {
  expect(await titlesIn(file)).toContain(title);
});
