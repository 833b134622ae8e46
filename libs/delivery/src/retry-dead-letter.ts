import { createHash } from "node:crypto";

import { AntlerError, type TraceContext } from "@antler/contracts";
import { newId } from "@antler/platform";
import type { DeadLetterRow, RunRow } from "@antler/store";

import type { DeliveryDeps } from "./delivery-deps.ts";
import type { RunIntake } from "./run-intake.ts";
import { type RunRequest, submitRun } from "./submit-run.ts";

export interface RetryDeps extends DeliveryDeps {
  readonly intake: RunIntake;
}

/**
 * Begins the work of a dead letter anew, once however often it is asked for. The letter ended its run, whose log is
 * sealed and whose clients were told so: the next round is a run of its own on the same thread, with the same request.
 * Steps that had a checkpoint are not done again. The letter stays, and names that run.
 * @throws dead_letter_not_retryable, thread_busy, queue_full, tenant_limit_reached, store_unavailable.
 */
export async function retryDeadLetter(deps: RetryDeps, letter: DeadLetterRow, trace: TraceContext): Promise<RunRow> {
  if (letter.retried !== null) return retriedRun(deps, letter._id, letter.retried.run_id);
  const ended = await endedRun(deps, letter);
  const request = await requestOf(deps, letter, { ended, trace });
  const earlier = await deps.store.runs.byIdempotency(request.idempotency);
  const run = earlier ?? (await deps.intake.within(request, () => submitRun(deps, request)));
  await deps.store.deadLetters.markRetried(letter._id, run._id);
  return run;
}

async function retriedRun({ store }: RetryDeps, letterId: string, runId: string): Promise<RunRow> {
  const run = await store.runs.get(runId);
  if (run === undefined) throw refused(letterId, `was retried as run ${runId}, which exists no more: discard it`);
  return run;
}

/** The run that the letter ended. */
async function endedRun({ store }: RetryDeps, { _id: id, row_id: rowId }: DeadLetterRow): Promise<RunRow> {
  if (rowId === null) throw refused(id, "names no run: read its payload, send the request again, and discard it");
  const run = await store.runs.get(rowId);
  if (run?.stop_reason === "dead_lettered") return run;
  if (run !== undefined) throw refused(id, `did not end run ${rowId}, which is ${run.status}: discard it`);
  if ((await store.tasks.get(rowId)) === undefined)
    throw refused(id, `names ${rowId}, which does not exist: discard it`);
  throw refused(id, `names task ${rowId}, and its lead goes on without a result of it: send its thread a new message`);
}

interface Retrying {
  readonly ended: RunRow;
  readonly trace: TraceContext;
}

type RetryRequest = RunRequest & { readonly idempotency: string };

async function requestOf({ store }: RetryDeps, letter: DeadLetterRow, retrying: Retrying): Promise<RetryRequest> {
  const { ended, trace } = retrying;
  const { tenant_id, thread_id } = ended;
  if ((await store.threads.get(tenant_id, thread_id)) === undefined)
    throw refused(letter._id, `is of thread ${thread_id}, which exists no more: discard it`);
  const { assistant_id, identity, lane, context, config, metadata, stream_modes, stream_subgraphs, on_disconnect } =
    ended;
  const key = createHash("sha256").update(`retry of ${ended._id}`).digest("hex");
  return {
    ...{ _id: newId(), tenant_id, thread_id, trace, lane, assistant_id, identity, context, config, metadata },
    ...{ stream_modes, stream_subgraphs, on_disconnect },
    ...(await beginningOf(store, letter, ended)),
    round: ended.round + 1,
    idempotency: key,
    request_sha256: key,
  };
}

type Beginning = Pick<RunRequest, "input" | "command" | "continues">;

/** The ended run's own beginning, or its last checkpoint when it had begun before the letter ended it. */
async function beginningOf({ runs }: DeliveryDeps["store"], { _id: id }: DeadLetterRow, run: RunRow) {
  const { input, command = null, continues, head, thread_id: threadId } = run;
  if (head === null) return { input, command, ...(continues !== undefined && { continues }) } satisfies Beginning;
  if ((await runs.newestHead(threadId)) !== head)
    throw refused(id, `is of a run whose thread has gone on since: send the thread a new message, and discard it`);
  return { input: null, command: null, continues: head } satisfies Beginning;
}

function refused(letterId: string, why: string): AntlerError {
  return new AntlerError("dead_letter_not_retryable", `Dead letter ${letterId} ${why}`);
}
