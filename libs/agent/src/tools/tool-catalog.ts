import type { StructuredToolInterface } from "@langchain/core/tools";

import type { Config } from "@antler/contracts";
import type { Sandbox } from "@antler/sandbox";

import { createBashTool } from "./bash-tool.ts";
import { createGlobTool } from "./glob-tool.ts";
import { createGrepTool } from "./grep-tool.ts";
import { createLsTool } from "./ls-tool.ts";
import { createReadFileTool } from "./read-file-tool.ts";
import { createReadMarks } from "./read-marks.ts";
import { createStrReplaceTool } from "./str-replace-tool.ts";
import type { ToolContext } from "./tool-context.ts";
import { createWebFetchTool, WEB_FETCH_NAME } from "./web-fetch-tool.ts";
import { createWriteFileTool } from "./write-file-tool.ts";

interface CatalogEntry {
  readonly group: string;
  readonly create: (context: ToolContext) => StructuredToolInterface;
}

/** Every tool that an agent can be given, by name; `task` is the lead's alone and not here. */
const CATALOG: Readonly<Record<string, CatalogEntry>> = {
  bash: { group: "bash", create: createBashTool },
  ls: { group: "file:read", create: createLsTool },
  read_file: { group: "file:read", create: createReadFileTool },
  write_file: { group: "file:write", create: createWriteFileTool },
  str_replace: { group: "file:write", create: createStrReplaceTool },
  glob: { group: "file:read", create: createGlobTool },
  grep: { group: "file:read", create: createGrepTool },
  [WEB_FETCH_NAME]: {
    group: "web",
    create: ({ webFetch: config, signal }) => createWebFetchTool({ config, signal }),
  },
};

/** Names and groups of the catalog, in the order in which models are shown the tools. */
export const TOOL_GROUPS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(CATALOG).map(([name, { group }]) => [name, group]),
);

export interface ToolSources {
  readonly config: Pick<Config, "sandbox" | "web_fetch">;
  readonly sandbox: Sandbox;
  /** Aborts with the execution. */
  readonly signal: AbortSignal;
}

/**
 * The tools of one execution, by those names. A name that is not in the catalog is left out; policies refuse it before.
 */
export function createTools(
  names: readonly string[],
  { config, sandbox, signal }: ToolSources,
): StructuredToolInterface[] {
  const context: ToolContext = {
    sandbox,
    signal,
    commandTimeoutMs: config.sandbox.command_timeout_seconds * 1000,
    readMarks: createReadMarks(sandbox),
    webFetch: config.web_fetch,
  };
  return names.flatMap((name) => {
    const entry = Object.hasOwn(CATALOG, name) ? CATALOG[name] : undefined;
    return entry === undefined ? [] : [entry.create(context)];
  });
}
