import { escapedMarkup } from "../messages/escaped-markup.ts";

export interface ToolNotes {
  /** Names of the tools whose schemas are not shown yet. */
  readonly deferred: readonly string[];
  /** MCP servers that cannot be reached. */
  readonly down: readonly string[];
}

/** What a system prompt says of tools that stand not in the request: names alone, and only when there are any. */
export function toolSections({ deferred, down }: ToolNotes): string[] {
  return [
    ...(deferred.length > 0 ? [section("available-deferred-tools", deferred.map(escapedMarkup).join("\n"))] : []),
    ...(down.length > 0 ? [section("unavailable-tool-servers", unavailable(down.map(escapedMarkup)))] : []),
  ];
}

function unavailable(servers: readonly string[]): string {
  return `These MCP servers cannot be reached, so their tools are missing: ${servers.join(", ")}. Go on without them.`;
}

function section(tag: string, text: string): string {
  return `<${tag}>\n${text}\n</${tag}>`;
}
