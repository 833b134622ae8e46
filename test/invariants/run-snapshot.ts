import { AntlerError, type RunEvent, type TokenUsage, type UsageRecord } from "@antler/contracts";
import type { RunRow, Store, TaskRow } from "@antler/store";

/** A message of a checkpoint as it stands in the store. */
export interface StoredMessage {
  readonly id?: string;
  readonly type: string;
  readonly content: unknown;
  readonly tool_calls?: readonly { readonly id?: string; readonly name: string }[];
  readonly tool_call_id?: string;
  readonly usage_metadata?: TokenUsage;
  readonly additional_kwargs?: Readonly<Record<string, unknown>>;
}

/** Everything that is kept of one run. */
export interface RunSnapshot {
  readonly run: RunRow;
  readonly tasks: readonly TaskRow[];
  readonly events: readonly RunEvent[];
  readonly usage: readonly UsageRecord[];
  readonly usageTotal: TokenUsage | null;
  /** The messages of the run's last checkpoint; none without one. */
  readonly messages: readonly StoredMessage[];
  /** Ids of the messages that stood on the thread before the run. */
  readonly earlier: ReadonlySet<string>;
}

/** @throws run_not_found. */
export async function takeSnapshot(store: Store, runId: string): Promise<RunSnapshot> {
  const run = await store.runs.get(runId);
  if (run === undefined) throw new AntlerError("run_not_found", `Run ${runId} does not exist`);
  const before = await messagesAt(store, run.thread_id, run.base);
  return {
    run,
    tasks: await wholeTasks(store, runId),
    events: await wholeLog(store, runId),
    usage: await store.usage.list(runId),
    usageTotal: await store.usage.totals({ runId }),
    messages: await messagesAt(store, run.thread_id, run.head),
    earlier: new Set(before.flatMap(({ id }) => (id === undefined ? [] : [id]))),
  };
}

async function wholeTasks({ tasks }: Store, runId: string): Promise<TaskRow[]> {
  const rows = await tasks.listByRun(runId);
  return Promise.all(rows.map(async (task) => ({ ...task, result: await tasks.wholeResult(task) })));
}

async function messagesAt(store: Store, threadId: string, checkpointId: string | null): Promise<StoredMessage[]> {
  if (checkpointId === null) return [];
  const state = await store.states.readState(threadId, checkpointId);
  return (state?.values["messages"] ?? []) as StoredMessage[];
}

const PAGE = 500;

async function wholeLog(store: Store, runId: string): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for (;;) {
    const page = await store.events.read(runId, { afterSeq: events.at(-1)?.seq ?? 0, limit: PAGE });
    if (page.length === 0) return events;
    events.push(...page);
  }
}
