import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";

import { readHolder } from "./folder-lock.mjs";

/**
 * Removes `.antler/` of the repository in `root`; refuses while a stack runs there. Returns the exit code.
 */
export function clean(root) {
  const folder = join(root, ".antler");
  const holder = readHolder(join(folder, "stack.lock"));
  if (holder !== undefined) {
    const where = holder.url === undefined ? "" : ` at ${holder.url}`;
    process.stderr.write(
      `antler: a stack is running here${where} (pid ${holder.pid}); stop it first: kill ${holder.pid}\n`,
    );
    return 1;
  }
  const existed = existsSync(folder);
  rmSync(folder, { recursive: true, force: true });
  process.stderr.write(existed ? `antler: removed ${folder}\n` : "antler: nothing to remove\n");
  return 0;
}
