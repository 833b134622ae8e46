import { boundText } from "@antler/contracts";

/** Longest result of an MCP tool, in characters; the middle of a longer one is left out. */
const MCP_RESULT_MAX_CHARS = 100_000;

/** What a model reads of a tool's result: its texts. Other contents are named and not shown. */
export function mcpResultText(content: unknown): string {
  const parts = Array.isArray(content) ? content.map(partText) : [partText(content)];
  const text = boundText(parts.join("\n").toWellFormed(), MCP_RESULT_MAX_CHARS);
  return text === "" ? "(no output)" : text;
}

function partText(part: unknown): string {
  if (typeof part === "string") return part;
  if (typeof part !== "object" || part === null) return "";
  const { text, type } = part as { readonly text?: unknown; readonly type?: unknown };
  return typeof text === "string" ? text : `(content of type ${String(type)} is not shown)`;
}
