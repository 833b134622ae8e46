import type { Readable } from "node:stream";
import type { SandboxConfig, WorkspaceReceipt } from "@antler/contracts";
import { AntlerError } from "@antler/contracts";
import type { PathLocks } from "./path-locks.ts";
import type { ThreadDirectories } from "./thread-directories.ts";
export interface UploadDeps {
  readonly directories: ThreadDirectories;
  readonly limits: SandboxConfig["upload"];
  readonly locks: PathLocks;
  readonly signal: AbortSignal;
}
export async function uploadWorkspace(_deps: UploadDeps, _tar: Readable): Promise<WorkspaceReceipt> {
  throw new AntlerError("internal", "Not written yet");
}
