import type { Sandbox, SkillMounts, Workspaces } from "@antler/sandbox";

export interface SandboxRequest {
  readonly tenantId: string;
  readonly threadId: string;
  /** What the sandbox shows of skills. */
  readonly skills: SkillMounts;
}

/** Opens the thread's sandbox for `work` and ends the hold afterwards, whatever comes of it. */
export async function withSandbox<T>(
  workspaces: Pick<Workspaces, "open">,
  { tenantId, threadId, skills }: SandboxRequest,
  work: (sandbox: Sandbox) => Promise<T>,
): Promise<T> {
  const sandbox = await workspaces.open(tenantId, threadId, { skills });
  try {
    return await work(sandbox);
  } finally {
    await sandbox.release();
  }
}
