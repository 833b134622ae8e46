import type { TaskEnvelope } from "@antler/contracts";

/** What tools and middlewares of a subagent may know of who asks; fields that nobody gave are null. */
export function childContext(envelope: TaskEnvelope): Readonly<Record<string, unknown>> {
  const { run_id, task_id, thread_id, identity } = envelope;
  const authz = structuredClone(identity.authz_attributes);
  return { ...identity, authz_attributes: authz, run_id, task_id, thread_id, is_subagent: true };
}
