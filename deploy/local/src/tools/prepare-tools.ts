import { delimiter, dirname } from "node:path";

import { bubblewrap, natsServer, provideTool, type SystemTool, type ToolContext } from "./provide-tool.ts";

/** The programs that were found or fetched, and a search path on which all of them are. */
export interface PreparedTools {
  readonly natsServer: string | undefined;
  readonly searchPath: string;
  /** For each program that is missing: why, and the remedy. */
  readonly missing: Readonly<Partial<Record<"natsServer" | "bubblewrap", string>>>;
}

/** Makes nats-server (unless NATS_URL names one) and bubblewrap available, saying what it does. */
export async function prepareTools(context: ToolContext): Promise<PreparedTools> {
  const nats = isSet(context.environment["NATS_URL"]) ? undefined : await provide(natsServer, context);
  const bwrap = await provide(bubblewrap, context);
  const paths = [nats?.path, bwrap.path].filter((path) => path !== undefined);
  return {
    natsServer: nats?.path,
    searchPath: extendPath(context.environment["PATH"] ?? "", paths.map(dirname)),
    missing: {
      ...(nats?.missing === undefined ? {} : { natsServer: nats.missing }),
      ...(bwrap.missing === undefined ? {} : { bubblewrap: bwrap.missing }),
    },
  };
}

async function provide(tool: SystemTool, context: ToolContext): Promise<{ path?: string; missing?: string }> {
  return provideTool(tool, context);
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "";
}

/** Appends folders that the path does not name yet, so that the machine's own programs stay first. */
function extendPath(searchPath: string, folders: readonly string[]): string {
  const known = searchPath.split(delimiter);
  return [...known, ...new Set(folders.filter((folder) => !known.includes(folder)))].join(delimiter);
}
