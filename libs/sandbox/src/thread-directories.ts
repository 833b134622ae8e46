import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { removeTree } from "./remove-tree.ts";
import { safeName } from "./safe-name.ts";
import type { SkillMounts } from "./skill-mounts.ts";
import { skillRoots } from "./skill-mounts.ts";
import { fileError } from "./system-error.ts";
import type { VirtualRoot } from "./virtual-roots.ts";
import { OUTPUTS_ROOT, UPLOADS_ROOT, USER_DATA, WORKSPACE_ROOT } from "./virtual-roots.ts";

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

/** Errors: `path_refused` under the virtual path of the thread's data, such as when the disk is full. */
export async function makeThreadDirectories(directories: ThreadDirectories): Promise<void> {
  const { base, workspace, uploads, outputs, temporary } = directories;
  try {
    await mkdir(base, { recursive: true, mode: 0o700 });
    await Promise.all([workspace, uploads, outputs, temporary].map((path) => mkdir(path, { recursive: true })));
  } catch (error) {
    throw fileError(error, USER_DATA);
  }
}

/** Removes all that is the thread's; repeatable. */
export async function removeThreadDirectories(directories: ThreadDirectories): Promise<void> {
  await removeTree(directories.base);
}

export function rootsOf(directories: ThreadDirectories, skills: SkillMounts): VirtualRoot[] {
  const writable = (virtual: string, host: string) => ({ virtual, host, readOnly: false });
  return [
    writable(WORKSPACE_ROOT, directories.workspace),
    writable(UPLOADS_ROOT, directories.uploads),
    writable(OUTPUTS_ROOT, directories.outputs),
    ...skillRoots(skills),
  ];
}
