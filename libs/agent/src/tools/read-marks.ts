import { posix } from "node:path";

import type { FileStat, Sandbox } from "@antler/sandbox";

/** Which version of each file an execution has seen, so that it never overwrites what it has not read. */
export interface ReadMarks {
  /** Notes that the file's current version is known. */
  note(path: string): Promise<void>;
  /** Whether the file exists in a version that is not known. */
  isUnseen(path: string): Promise<boolean>;
}

export function createReadMarks(sandbox: Sandbox): ReadMarks {
  const seen = new Map<string, string>();
  const keyOf = (path: string) => posix.resolve(sandbox.threadData.workspace_path, path);
  return {
    async note(path) {
      const stat = await sandbox.stat(path);
      if (stat !== undefined) seen.set(keyOf(path), versionOf(stat));
    },
    async isUnseen(path) {
      const stat = await sandbox.stat(path);
      return stat?.kind === "file" && seen.get(keyOf(path)) !== versionOf(stat);
    },
  };
}

function versionOf({ sizeBytes, modifiedMs }: FileStat): string {
  return `${sizeBytes}:${modifiedMs}`;
}
