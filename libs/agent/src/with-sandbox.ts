import type { Sandbox, Workspaces } from "@antler/sandbox";

export interface SandboxOwner {
  readonly tenantId: string;
  readonly threadId: string;
}

/** Opens the thread's sandbox for `work` and ends the hold afterwards, whatever comes of it. */
export async function withSandbox<T>(
  workspaces: Pick<Workspaces, "open">,
  { tenantId, threadId }: SandboxOwner,
  work: (sandbox: Sandbox) => Promise<T>,
): Promise<T> {
  const sandbox = await workspaces.open(tenantId, threadId);
  try {
    return await work(sandbox);
  } finally {
    await sandbox.release();
  }
}
