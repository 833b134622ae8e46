import { join, resolve } from "node:path";

import { format, resolveConfig } from "prettier";

import { configJsonSchema } from "@antler/contracts";

import { configurationPage } from "./configuration-page.ts";
import { errorPage } from "./error-page.ts";

const root = resolve(import.meta.dirname, "../..");

/** A file of the repository that is derived from the contracts. */
export interface GeneratedFile {
  readonly path: string;
  readonly content: () => Promise<string>;
}

export const generatedFiles: readonly GeneratedFile[] = [
  file("docs/configuration.md", configurationPage),
  file("docs/errors.md", errorPage),
  file("antler.schema.json", () => JSON.stringify(configJsonSchema())),
];

function file(name: string, text: () => string): GeneratedFile {
  const path = join(root, name);
  return { path, content: async () => format(text(), { ...(await resolveConfig(path)), filepath: path }) };
}
