import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { type FolderLock, takeLock } from "../../folder-lock.mjs";
import { SetupError } from "../setup-error.ts";

/** Raised whenever data of an earlier start can no longer be continued. */
const format = "1";

/** Where a stack keeps what it must not forget, and what it may. */
export interface StackFolder {
  readonly root: string;
  readonly nats: string;
  readonly store: string;
  readonly workspaces: string;
  readonly logs: string;
  readonly run: string;
  /** What Node compiled, so that the next start is quick. */
  readonly cache: string;
  readonly packages: string;
}

export function layOut(root: string): StackFolder {
  const inside = (name: string): string => join(root, name);
  return {
    root,
    nats: inside("nats"),
    store: inside("store"),
    workspaces: inside("workspaces"),
    logs: inside("logs"),
    run: inside("run"),
    cache: inside("cache"),
    packages: inside("tools/debian"),
  };
}

/**
 * Takes the folder for this process and makes its subfolders.
 *
 * @throws SetupError when another stack runs there, naming its pid and URL, or when its data has another format.
 */
export function openFolder(folder: StackFolder): FolderLock {
  const taken = takeLock(join(folder.root, "stack.lock"));
  if ("holder" in taken) {
    const { pid, url } = taken.holder;
    const where = url === undefined ? "and is still starting" : `at ${url}`;
    throw new SetupError(
      `A stack already runs in ${folder.root} ${where} (pid ${pid}); use it, or stop it: kill ${pid}`,
    );
  }
  try {
    checkFormat(folder);
    const { nats, store, workspaces, logs, run } = folder;
    for (const path of [nats, store, workspaces, logs, run]) mkdirSync(path, { recursive: true });
    writeFileSync(join(folder.root, "format"), `${format}\n`);
    return taken.lock;
  } catch (error) {
    taken.lock.release();
    throw error;
  }
}

function checkFormat(folder: StackFolder): void {
  const found = readFormat(folder);
  if (found === undefined || found === format) return;
  throw new SetupError(
    `The data in ${folder.root} has format ${found}, this version needs format ${format}; ` +
      "npm run clean removes it, with the runs and workspaces kept there",
  );
}

/** Nothing for a folder without data; data without a format is older than the first one. */
function readFormat(folder: StackFolder): string | undefined {
  const path = join(folder.root, "format");
  if (existsSync(path)) return readFileSync(path, "utf8").trim();
  return existsSync(folder.nats) || existsSync(folder.store) ? "unknown" : undefined;
}
