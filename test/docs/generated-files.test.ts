import { readFileSync } from "node:fs";
import { basename } from "node:path";

import { describe, expect, it } from "vitest";

import { ENVIRONMENT_VARIABLES, ERROR_CODES } from "@antler/contracts";

import { configurationPage } from "./configuration-page.ts";
import { errorPage } from "./error-page.ts";
import { generatedFiles } from "./generated-files.ts";

describe("generated files", () => {
  it.each(generatedFiles.map((file) => [basename(file.path), file] as const))(
    "%s is what `npm run docs` writes",
    async (_, file) => {
      expect(readFileSync(file.path, "utf8")).toBe(await file.content());
    },
  );

  it("explain every error code and every environment variable", () => {
    const errors = errorPage();
    const configuration = configurationPage();

    expect(Object.keys(ERROR_CODES).filter((code) => !errors.includes(`| \`${code}\` |`))).toEqual([]);
    expect(ENVIRONMENT_VARIABLES.filter(({ name }) => !configuration.includes(`\`${name}\``))).toEqual([]);
  });

  it("leave no key without its meaning", () => {
    const rows = configurationPage()
      .split("\n")
      .filter((line) => line.startsWith("| `"));

    expect(rows.filter((row) => row.endsWith("|  |"))).toEqual([]);
  });
});
