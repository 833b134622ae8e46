import { newId } from "@antler/platform";
import type { RunRow } from "@antler/store";

import { aRunRequest } from "../../../test/harness/delivery-stack.ts";
import { anEnvelopeDraft } from "../../../test/harness/rows.ts";
import { type DelegateRequest, type DeliveryDeps, type Lease, submitRun, type TaskOutcome } from "../src/index.ts";

/** A run that a test holds as a lead would, without a worker of its own. */
export interface HeldRun {
  readonly run: RunRow;
  readonly lease: Lease;
  /** Ends the run, so that nothing of it is left to do. */
  readonly release: () => Promise<unknown>;
}

export async function holdRun(lead: DeliveryDeps): Promise<HeldRun> {
  const { _id } = await submitRun(lead, aRunRequest());
  const claim = { id: newId(), runner_id: "lead", pid: 1 };
  const run = await lead.store.runs.claim(_id, claim, 60_000);
  if (run === undefined) throw new Error("The run could not be claimed");
  const lease = {
    epoch: 1,
    attempt: 1,
    round: 0,
    claimId: claim.id,
    signal: new AbortController().signal,
    assertHeld: () => undefined,
  };
  return {
    run,
    lease,
    release: () => lead.store.runs.force(run._id, {}, { status: "success", fields: {}, owed: [] }),
  };
}

type Given = Partial<DelegateRequest> & { readonly callId?: string; readonly timeoutSeconds?: number };

export function requestOf({ run, lease }: Pick<HeldRun, "run" | "lease">, given: Given = {}): DelegateRequest {
  const envelope = anEnvelopeDraft({
    run_id: run._id,
    thread_id: run.thread_id,
    tool_call_id: given.callId ?? `call_${newId()}`,
  });
  const subagent = { ...envelope.subagent, timeout_seconds: given.timeoutSeconds ?? 60 };
  return {
    run,
    lease,
    signal: AbortSignal.timeout(20_000),
    maxTotal: 6,
    onEvent: () => undefined,
    ...given,
    envelope: { ...envelope, subagent },
  };
}

export const completed = (result: string): TaskOutcome => ({
  status: "completed",
  stop_reason: "completed",
  result,
  partial_result: null,
  error: null,
  usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
  steps: 2,
});

/** Work that goes on until it is told to stop. */
export const untilAborted = (lease: Lease) =>
  new Promise<never>((_resolve, reject) => {
    lease.signal.addEventListener("abort", () => reject(new Error("stopped")), { once: true });
  });
