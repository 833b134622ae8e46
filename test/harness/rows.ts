import type { Identity, TaskEnvelope } from "@antler/contracts";
import { newId, newTraceContext } from "@antler/platform";
import type { RunDraft, TaskDraft } from "@antler/store";

/** Builders of rows for tests: whole and valid, each field can be given. */
export const anIdentity = (): Identity => ({
  tenant_id: "default",
  user_id: null,
  user_role: null,
  is_internal: false,
  channel_user_id: null,
  oauth_provider: null,
  oauth_id: null,
  authz_attributes: {},
});

const delivery = {
  stop_reason: null,
  dispatch: 1,
  epoch: 0,
  attempt: 0,
  round: 0,
  ticket: null,
  claim: null,
  lease_until: null,
  not_before: null,
  execution_deadline_at: null,
  cancel: null,
  owed: [],
  owed_at: null,
  started_at: null,
  ended_at: null,
  error: null,
  queue_limit_ms: 60_000,
  execution_limit_ms: 60_000,
  deadline_ms: 180_000,
} as const;

export function aRunDraft(given: Partial<RunDraft> = {}): RunDraft {
  const id = given._id ?? newId();
  const thread = given.thread_id ?? newId();
  return {
    _id: id,
    run_id: id,
    tenant_id: "default",
    thread_id: thread,
    lock: thread,
    kind: "run",
    status: "pending",
    pool: "lead",
    lane: "interactive",
    trace: newTraceContext(),
    assistant_id: "lead",
    identity: anIdentity(),
    input: { messages: [{ role: "user", content: "hello" }] },
    context: {},
    config: {},
    metadata: {},
    stream_modes: ["values"],
    stream_subgraphs: false,
    on_disconnect: "continue",
    calls: [],
    base: null,
    head: null,
    output: null,
    ...delivery,
    max_attempts: 5,
    ...given,
  };
}

function anEnvelope(given: Partial<TaskEnvelope> = {}): TaskEnvelope {
  return {
    version: 1,
    task_id: newId(),
    run_id: newId(),
    thread_id: newId(),
    tool_call_id: `call_${newId()}`,
    identity: anIdentity(),
    trace: newTraceContext(),
    subagent: {
      name: "general-purpose",
      system_prompt: "You work.",
      max_turns: 150,
      timeout_seconds: 60,
      pool: "general",
    },
    model_name: "replayed",
    tool_groups: null,
    tools: ["bash", "ls", "read_file"],
    skills: null,
    sandbox: { sandbox_id: "sandbox" },
    thread_data: {
      workspace_path: "/mnt/user-data/workspace",
      uploads_path: "/mnt/user-data/uploads",
      outputs_path: "/mnt/user-data/outputs",
    },
    description: "look around",
    prompt: "Look around and report.",
    ...given,
  };
}

/** What a lead hands over: an envelope of a task that has no id yet. */
export function anEnvelopeDraft(given: Partial<TaskEnvelope> = {}): Omit<TaskEnvelope, "task_id"> {
  const { task_id: _, ...draft } = anEnvelope(given);
  return draft;
}

export function aTaskDraft(given: Partial<TaskDraft> = {}): TaskDraft {
  const envelope = anEnvelope({ ...(given._id !== undefined && { task_id: given._id }) });
  return {
    _id: envelope.task_id,
    run_id: envelope.run_id,
    tenant_id: "default",
    thread_id: envelope.thread_id,
    call_id: envelope.tool_call_id,
    pool: "general",
    lane: "interactive",
    status: "pending",
    trace: envelope.trace,
    subagent_type: "general-purpose",
    description: envelope.description,
    envelope,
    model_name: "replayed",
    result: null,
    result_sha256: null,
    partial_result: null,
    usage: null,
    steps: 0,
    ...delivery,
    max_attempts: 3,
    ...given,
  };
}
