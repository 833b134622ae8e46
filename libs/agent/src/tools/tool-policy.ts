import { TOOL_GROUPS } from "./tool-catalog.ts";

export interface ToolScope {
  /** Groups that the lead may use; null means all. */
  readonly groups: readonly string[] | null;
  /** Whether commands can run, isolated or with leave. */
  readonly canRunCommands: boolean;
}

/** The names of the tools in a scope, in the catalog's order; never `task`. */
export function toolsInScope({ groups, canRunCommands }: ToolScope): string[] {
  return Object.entries(TOOL_GROUPS)
    .filter(([name, group]) => (groups === null || groups.includes(group)) && (name !== "bash" || canRunCommands))
    .map(([name]) => name);
}

export interface ToolRules {
  /** Null allows all. */
  readonly allowed: readonly string[] | null;
  /** Beats `allowed`. */
  readonly denied: readonly string[];
}

/** Narrows a set of tools by allow and deny lists; nothing is ever added. */
export function narrowTools(names: readonly string[], { allowed, denied }: ToolRules): string[] {
  return names.filter((name) => (allowed === null || allowed.includes(name)) && !denied.includes(name));
}
