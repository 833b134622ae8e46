import { newId } from "@antler/platform";

import { commandEnvironment } from "./command-environment.ts";
import type { CommandPlace, CommandProvider, CommandStart } from "./command-provider.ts";
import { toHostPaths, toVirtualPaths } from "./host-path-mask.ts";
import { killMarked, killQuietly } from "./process-group.ts";
import type { ProcessPlan } from "./run-process.ts";
import { WORKSPACE_ROOT } from "./virtual-roots.ts";

/** Marks every process of one command, so that those that leave its group are found. */
const MARK = "ANTLER_COMMAND_ID";

/**
 * Runs commands on the host, **unisolated**: they can read and write whatever this user can, and reach the network.
 * Virtual paths in the command's text are replaced by the host's and back in its output; a program that holds a virtual
 * path in its own files does not find it.
 */
export function createLocalProvider(searchPath: string): CommandProvider {
  return {
    name: "local",
    isolated: false,
    plan: (place, start) => planLocal(searchPath, place, start),
  };
}

function planLocal(searchPath: string, place: CommandPlace, start: CommandStart): ProcessPlan {
  const id = newId();
  const home = place.roots.find((root) => root.virtual === WORKSPACE_ROOT)?.host ?? start.hostCwd;
  const extra = { ...place.env, [MARK]: id };
  return {
    file: "bash",
    args: ["--noprofile", "--norc", "-c", toHostPaths(start.command, place.roots)],
    cwd: start.hostCwd,
    env: commandEnvironment({ path: searchPath, home, temporary: place.temporary, extra }),
    mask: (output) => toVirtualPaths(output, place.roots),
    hasInfo: false,
    watch: (child) => ({
      async kill() {
        if (child.pid !== undefined) killQuietly(-child.pid);
        await killMarked(`${MARK}=${id}`);
      },
    }),
  };
}
