import { serverOf } from "./mcp/mcp-names.ts";

/** Whether a tool brings text from outside of the sandbox: pages of the web, or what an MCP server says. */
export function isRemoteTool(name: string): boolean {
  return name === "web_fetch" || serverOf(name) !== null;
}
