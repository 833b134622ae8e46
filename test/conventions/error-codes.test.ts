import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";

import { expect, it } from "vitest";

import { ERROR_CODES } from "@antler/contracts";

const cwd = resolve(import.meta.dirname, "../..");
const table = "libs/contracts/src/error-codes.ts";
const sources = globSync("{libs,services,apps,tools,deploy}/*/src/**/*.ts", { cwd }).filter((path) => path !== table);
const text = sources.map((path) => readFileSync(resolve(cwd, path), "utf8")).join("\n");

it.each(Object.keys(ERROR_CODES))("%s is used in some source beside the table", (code) => {
  expect(text).toContain(`"${code}"`);
});
