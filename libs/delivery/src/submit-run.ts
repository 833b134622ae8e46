import { AntlerError, LEAD_POOL, modelCallLimit, type RunTicket } from "@antler/contracts";
import type { RunDraft, RunRow } from "@antler/store";

import type { DeliveryDeps } from "./delivery-deps.ts";
import { dispatch } from "./dispatch.ts";

/** What the submitter knows of a run; delivery adds limits, counters and clocks. */
export type RunRequest = Pick<
  RunDraft,
  | "_id"
  | "tenant_id"
  | "thread_id"
  | "lane"
  | "trace"
  | "assistant_id"
  | "identity"
  | "input"
  | "command"
  | "context"
  | "config"
  | "metadata"
  | "stream_modes"
  | "stream_subgraphs"
  | "on_disconnect"
> &
  Pick<RunDraft, "idempotency" | "request_sha256" | "continues"> & {
    /** How often the work of this request was begun anew under another run. */
    readonly round?: number;
  };

/** Room that a waiting lead has beyond queue and execution. */
export const WAIT_MARGIN_MS = 60_000;

/**
 * Accepts a run: its row holds the thread, then its ticket is published. Once the row stands, the run is accepted;
 * what cannot be published now is published by the reconciler. A request whose key is known already gets the run of
 * the first one, whatever has become of it. Whether there is room is the intake's to say, before.
 * @throws thread_busy while another run holds the thread, idempotency_key_reused, store_unavailable.
 */
export async function submitRun(deps: DeliveryDeps, request: RunRequest): Promise<RunRow> {
  const { store, config } = deps;
  const earlier = await replayedRun(deps, request);
  if (earlier !== undefined) return earlier;
  const insertion = await store.runs.insert(draftOf(request, config));
  if (insertion.kind === "replayed") return sameRequest(insertion.run, request);
  if (insertion.kind === "inserted") {
    await dispatch(ticketing(deps), insertion.run, deps);
    return insertion.run;
  }
  const holder = await replayedRun(deps, request);
  if (holder === undefined) throw busy(request.thread_id);
  return holder;
}

/**
 * The run that was created under the request's idempotency key.
 * @throws idempotency_key_reused when that was another request.
 */
export async function replayedRun({ store }: DeliveryDeps, request: RunRequest): Promise<RunRow | undefined> {
  if (request.idempotency === undefined) return undefined;
  const run = await store.runs.byIdempotency(request.idempotency);
  return run === undefined ? undefined : sameRequest(run, request);
}

function sameRequest(run: RunRow, request: RunRequest): RunRow {
  if (run.request_sha256 === request.request_sha256) return run;
  throw new AntlerError("idempotency_key_reused", `Idempotency-Key was used for run ${run._id} with another body`);
}

function ticketing({ store }: DeliveryDeps) {
  return { name: "run" as const, ledger: store.runs, ticketOf: runTicketOf };
}

/** The ticket with which a new run is published. */
export function firstTicketOf({ _id, round = 0 }: Pick<RunRequest, "_id" | "round">): RunTicket {
  return runTicketOf({ _id, round, dispatch: initialDelivery.dispatch });
}

function runTicketOf({ _id: id, dispatch, round }: Pick<RunRow, "_id" | "dispatch" | "round">): RunTicket {
  return { kind: "run", id, version: 1, dispatch, round };
}

function busy(threadId: string): AntlerError {
  return new AntlerError("thread_busy", `Thread ${threadId} already has an active run`);
}

function draftOf(request: RunRequest, config: DeliveryDeps["config"]): RunDraft {
  const queueMs = config.delivery.queue_timeout_seconds * 1000;
  const executionMs = config.runs.timeout_seconds * 1000;
  return {
    ...request,
    run_id: request._id,
    kind: "run",
    status: "pending",
    pool: LEAD_POOL,
    lock: request.thread_id,
    max_model_calls: modelCallLimit(request.config, config.runs.max_model_calls),
    calls: [],
    base: null,
    head: null,
    output: null,
    error: null,
    ...initialDelivery,
    round: request.round ?? 0,
    max_attempts: config.delivery.run_attempts,
    queue_limit_ms: queueMs,
    execution_limit_ms: executionMs,
    deadline_ms: queueMs + executionMs + WAIT_MARGIN_MS,
  };
}

/** The delivery state of a row that nobody has claimed; its first publication is the one of its insertion. */
export const initialDelivery = {
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
} as const;
