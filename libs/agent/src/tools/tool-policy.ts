import { TOOL_GROUPS } from "./tool-catalog.ts";
import { WEB_FETCH_NAME } from "./web-fetch-tool.ts";

/** A tool as policies see it. */
export interface ToolEntry {
  readonly name: string;
  readonly group: string;
}

export interface ToolScope {
  /** Groups that the lead may use; null means all. */
  readonly groups: readonly string[] | null;
  /** Whether commands can run, isolated or with leave. */
  readonly canRunCommands: boolean;
  /** Whether the configuration lets agents read the web. */
  readonly canFetch: boolean;
  /** Tools of MCP servers. */
  readonly mcp: readonly ToolEntry[];
}

/** The form in which names of tools are compared: outer space stripped, characters composed. Case counts. */
export function normalToolName(name: string): string {
  return name.trim().normalize("NFC");
}

/** Each name once; of two tools with one name the earlier source's stands, whatever its group. */
export function withoutDoubles(...sources: readonly (readonly ToolEntry[])[]): ToolEntry[] {
  const byName = new Map<string, ToolEntry>();
  for (const entry of sources.flat()) {
    const name = normalToolName(entry.name);
    if (!byName.has(name)) byName.set(name, entry);
  }
  return [...byName.values()];
}

/** First filter: the names of the tools in a scope, the catalog's in its order and then those of MCP servers; never `task`. */
export function toolsInScope({ groups, canRunCommands, canFetch, mcp }: ToolScope): string[] {
  const catalog = Object.entries(TOOL_GROUPS).map(([name, group]) => ({ name, group }));
  return withoutDoubles(catalog, mcp)
    .filter(({ group }) => groups === null || groups.includes(group))
    .filter(({ name }) => (name !== "bash" || canRunCommands) && (name !== WEB_FETCH_NAME || canFetch))
    .map(({ name }) => name);
}

export interface ToolRules {
  /** Null allows all, an empty list none. */
  readonly allowed: readonly string[] | null;
  /** Beats `allowed`. */
  readonly denied: readonly string[];
}

/** Narrows a set of tools by allow and deny lists; nothing is ever added. */
export function narrowTools(names: readonly string[], { allowed, denied }: ToolRules): string[] {
  const allows = allowed === null ? null : new Set(allowed.map(normalToolName));
  const denies = new Set(denied.map(normalToolName));
  return names.filter((name) => {
    const normal = normalToolName(name);
    return (allows === null || allows.has(normal)) && !denies.has(normal);
  });
}
