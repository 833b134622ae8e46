import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { removeTree } from "./remove-tree.ts";
import type { VirtualRoot } from "./virtual-roots.ts";
import { OUTPUTS_ROOT, SKILLS_ROOT, UPLOADS_ROOT, WORKSPACE_ROOT } from "./virtual-roots.ts";

/** Where a thread's files lie on the host. */
export interface ThreadDirectories {
  readonly id: string;
  readonly base: string;
  readonly workspace: string;
  readonly uploads: string;
  readonly outputs: string;
  readonly temporary: string;
}

/** The directories of a thread; nothing is made. */
export function threadDirectories(root: string, tenantId: string, threadId: string): ThreadDirectories {
  const id = `${safeName(tenantId)}/${safeName(threadId)}`;
  const base = join(root, id);
  return {
    id,
    base,
    workspace: join(base, "workspace"),
    uploads: join(base, "uploads"),
    outputs: join(base, "outputs"),
    temporary: join(base, "tmp"),
  };
}

export async function makeThreadDirectories(directories: ThreadDirectories): Promise<void> {
  await mkdir(directories.base, { recursive: true, mode: 0o700 });
  const { workspace, uploads, outputs, temporary } = directories;
  await Promise.all([workspace, uploads, outputs, temporary].map((path) => mkdir(path, { recursive: true })));
}

/** Removes all that is the thread's; repeatable. */
export async function removeThreadDirectories(directories: ThreadDirectories): Promise<void> {
  await removeTree(directories.base);
}

export function rootsOf(directories: ThreadDirectories, skillsDirectory: string | undefined): VirtualRoot[] {
  const writable = (virtual: string, host: string) => ({ virtual, host, readOnly: false });
  const skills = { virtual: SKILLS_ROOT, host: skillsDirectory ?? "", readOnly: true };
  return [
    writable(WORKSPACE_ROOT, directories.workspace),
    writable(UPLOADS_ROOT, directories.uploads),
    writable(OUTPUTS_ROOT, directories.outputs),
    ...(skillsDirectory === undefined ? [] : [skills]),
  ];
}

/**
 * A name that is one harmless path component also where case is not told apart: kept when it is 1 to 64 of a-z, 0-9,
 * `-` and `_`, else its harmless part with 20 hexadecimal digits of its SHA-256.
 */
function safeName(name: string): string {
  if (/^[a-z0-9_-]{1,64}$/.test(name)) return name;
  const harmless = name
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "-")
    .slice(0, 32);
  return `${harmless}.${createHash("sha256").update(name).digest("hex").slice(0, 20)}`;
}
