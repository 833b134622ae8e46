import { randomUUID } from "node:crypto";
import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";

import type { SandboxConfig, WorkspaceReceipt } from "@antler/contracts";

import { readArchive } from "./archive-reader.ts";
import { createArchiveSink } from "./archive-sink.ts";
import type { PathLocks } from "./path-locks.ts";
import { removeTree } from "./remove-tree.ts";
import { systemCodeOf } from "./system-error.ts";
import type { ThreadDirectories } from "./thread-directories.ts";
import { createUploadMeter } from "./upload-meter.ts";

export interface UploadDeps {
  readonly directories: ThreadDirectories;
  readonly limits: SandboxConfig["upload"];
  readonly locks: PathLocks;
  readonly signal: AbortSignal;
  readonly beforeSwap: (() => Promise<void>) | undefined;
}

/**
 * Unpacks a tar stream beside the workspace and puts it in the workspace's place once it is complete. After an error or
 * an abort the workspace is as it was and nothing of the upload is left.
 */
export async function uploadWorkspace(deps: UploadDeps, tar: Readable): Promise<WorkspaceReceipt> {
  const staging = join(deps.directories.base, `.upload-${randomUUID()}`);
  await mkdir(staging);
  try {
    const receipt = await unpack(deps, tar, staging);
    await deps.locks.hold(deps.directories.base, async () => {
      await deps.beforeSwap?.();
      await swap(deps.directories, staging);
    });
    return receipt;
  } finally {
    await removeTree(staging);
  }
}

async function unpack({ limits, signal }: UploadDeps, tar: Readable, staging: string): Promise<WorkspaceReceipt> {
  const meter = createUploadMeter(limits);
  const sink = createArchiveSink(staging, meter);
  await readArchive(tar, { signal, take: (entry) => sink.take(entry) });
  await sink.finish();
  signal.throwIfAborted();
  return meter.receipt();
}

const SWAP_TRIES = 5;

/** Two renames: between them the thread has no workspace. Of two uploads at once, from any process, the last one stays. */
async function swap(directories: ThreadDirectories, staging: string): Promise<void> {
  const old = join(directories.base, `.replaced-${randomUUID()}`);
  for (let tries = 1; ; tries += 1) {
    await moveAside(directories.workspace, `${old}.${tries}`);
    const fault = await tryRename(staging, directories.workspace);
    await settle(directories.workspace, `${old}.${tries}`, fault);
    if (fault === undefined) return;
    if (tries >= SWAP_TRIES || !["ENOTEMPTY", "EEXIST"].includes(systemCodeOf(fault) ?? "")) throw fault;
  }
}

/** Without a new workspace the old one returns, unless another upload has put its own there. */
async function settle(workspace: string, old: string, fault: Error | undefined): Promise<void> {
  if (fault !== undefined) await tryRename(old, workspace);
  await removeTree(old);
}

async function tryRename(from: string, to: string): Promise<Error | undefined> {
  try {
    await rename(from, to);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

async function moveAside(from: string, to: string): Promise<void> {
  const fault = await tryRename(from, to);
  if (fault !== undefined && systemCodeOf(fault) !== "ENOENT") throw fault;
}
