import type { McpConfig } from "@antler/contracts";

import type { ToolEntry } from "../tools/tool-policy.ts";

/** Stands between the name of a server, which never holds it, and that of a tool. */
const SEPARATOR = "__";

/** The enabled servers whose tools are in those groups; null means all groups. */
export function serversInGroups({ servers }: McpConfig, groups: readonly string[] | null): string[] {
  return Object.entries(servers)
    .filter(([, { enabled, group }]) => enabled && (groups === null || groups.includes(group)))
    .map(([server]) => server);
}

/** The servers to which tools of those names would belong. */
export function serversOf(config: McpConfig, names: readonly string[]): string[] {
  const wanted = new Set(names.map(serverOf));
  return serversInGroups(config, null).filter((server) => wanted.has(server));
}

/** Those of the names that an enabled server of this configuration could have, with its group. */
export function claimedByServers(config: McpConfig, names: readonly string[]): ToolEntry[] {
  const known = new Set(serversInGroups(config, null));
  return names.flatMap((name) => {
    const server = serverOf(name);
    const group = server !== null && known.has(server) ? config.servers[server]?.group : undefined;
    return group === undefined ? [] : [{ name, group }];
  });
}

/** The name of the server that a tool of this name belongs to; null when it is no MCP tool's. */
export function serverOf(name: string): string | null {
  const end = name.indexOf(SEPARATOR);
  return end > 0 ? name.slice(0, end) : null;
}
