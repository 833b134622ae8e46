import type { VirtualRoot } from "./virtual-roots.ts";

/** Shows the host paths of these roots as virtual paths. */
export function toVirtualPaths(text: string, roots: readonly VirtualRoot[]): string {
  return roots.reduce((shown, root) => shown.replaceAll(root.host, root.virtual), text);
}

/** Replaces virtual paths by host paths where they stand as whole path components. */
export function toHostPaths(text: string, roots: readonly VirtualRoot[]): string {
  return roots.reduce(
    (mapped, root) => mapped.replace(new RegExp(`${root.virtual}(?![\\w.-])`, "g"), () => root.host),
    text,
  );
}
