import type { TextFilter } from "./command-output.ts";
import type { VirtualRoot } from "./virtual-roots.ts";

/** Passes text on as it is. */
export const NO_MASK: TextFilter = { push: (text) => text, end: () => "" };

/** Shows the host paths of these roots as virtual paths, also where a path arrives in pieces. */
export function createHostPathMask(roots: readonly VirtualRoot[]): TextFilter {
  const ordered = [...roots].sort((a, b) => b.host.length - a.host.length);
  const longest = ordered[0]?.host.length ?? 0;
  let held = "";
  return {
    push(text) {
      const all = replaceHosts(held + text, ordered);
      const keep = pieceLength(all, ordered, longest);
      held = all.slice(all.length - keep);
      return all.slice(0, all.length - keep);
    },
    end() {
      const rest = held;
      held = "";
      return rest;
    },
  };
}

function replaceHosts(text: string, roots: readonly VirtualRoot[]): string {
  return roots.reduce((shown, root) => shown.replaceAll(root.host, root.virtual), text);
}

/** How many characters at the end may be the beginning of a host path. */
function pieceLength(text: string, roots: readonly VirtualRoot[], longest: number): number {
  for (let length = Math.min(longest - 1, text.length); length > 0; length -= 1) {
    const end = text.slice(text.length - length);
    if (roots.some((root) => root.host.startsWith(end))) return length;
  }
  return 0;
}

/** Replaces virtual paths by host paths where they stand as whole path components. */
export function toHostPaths(text: string, roots: readonly VirtualRoot[]): string {
  return roots.reduce(
    (mapped, root) => mapped.replace(new RegExp(`${root.virtual}(?![\\w.-])`, "g"), () => root.host),
    text,
  );
}
