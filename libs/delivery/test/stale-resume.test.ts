import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { ticketSubject } from "@antler/contracts";
import { newId } from "@antler/platform";
import type { RunDraft, RunRow, StoredState } from "@antler/store";

import { type DeliveryStack, startDeliveryStack } from "../../../test/harness/delivery-stack.ts";
import { aRunDraft } from "../../../test/harness/rows.ts";
import {
  createKinds,
  type DeliveryDeps,
  type RunOutcome,
  startRunWorker,
  waitUntilTerminal,
  type Worker,
} from "../src/index.ts";

const success: RunOutcome = { status: "success", stop_reason: "completed", error: null, output: null };

let stack: DeliveryStack;
let deps: DeliveryDeps;
let worker: Worker;
const executed: string[] = [];

/** A store whose thread asks something at each checkpoint with this prefix. */
const ASKING = "asking-";

function asking(store: DeliveryDeps["store"]): DeliveryDeps["store"] {
  const readState = async (_threadId: string, checkpointId: string) => {
    const interrupts = checkpointId.startsWith(ASKING) ? [{ id: "0".repeat(32), value: "Sure?", task_id: "t" }] : [];
    return { interrupts, values: {} } as unknown as StoredState;
  };
  return { ...store, states: { ...store.states, readState } };
}

beforeAll(async () => {
  stack = await startDeliveryStack();
  const real = await stack.connect();
  deps = { ...real, store: asking(real.store) };
  const execute = async ({ _id: id }: RunRow) => {
    executed.push(id);
    return success;
  };
  worker = startRunWorker({ ...deps, runner: { id: "r", pid: process.pid }, execute });
});
beforeEach(() => executed.splice(0));
afterAll(async () => {
  await worker.drain(AbortSignal.abort());
  await stack.stop();
});

/** A run on a thread whose turn before ended at this checkpoint. */
async function afterTurn(head: string | null, draft: Partial<RunDraft>): Promise<RunRow> {
  const threadId = newId();
  const { runs } = deps.store;
  const { ticketOf } = createKinds(deps).runs;
  const turn = aRunDraft({ thread_id: threadId, head });
  await runs.insert(turn);
  await runs.force(turn._id, {}, { status: "interrupted", fields: { stop_reason: "input_required" }, owed: [] });
  const next = aRunDraft({ thread_id: threadId, input: null, ...draft });
  await runs.insert(next);
  await deps.bus.publishTicket(ticketSubject("lead", "interactive"), ticketOf(next), next.trace);
  const wait = { bus: deps.bus, signal: AbortSignal.timeout(20_000), pollMs: 100 };
  return waitUntilTerminal(createKinds(deps).runs, next._id, wait);
}

const command = { resume: "yes" };

describe("a run that answers a question", () => {
  it("is executed while that question is pending", async () => {
    const run = await afterTurn("asking-1", { command, continues: "asking-1" });

    expect(run).toMatchObject({ status: "success", base: "asking-1" });
    expect(executed).toEqual([run._id]);
  });

  it.each([
    ["when the thread asks the next one already", "asking-2", { command, continues: "asking-1" }, /gone on since/],
    ["when the thread has ended meanwhile", "ended-2", { command, continues: "asking-1" }, /gone on since/],
    ["that nobody asks", "ended-1", { command }, /no pending interrupt/],
    ["of a thread without a checkpoint", null, { command }, /no pending interrupt/],
    ["and was to go on from a point behind the thread's head", "ended-2", { continues: "ended-1" }, /gone on since/],
  ])("ends with an error and is not executed: %s", async (_when, head, draft, message) => {
    const run = await afterTurn(head, draft);

    expect(run).toMatchObject({
      status: "error",
      stop_reason: "stale_resume",
      error: { code: "nothing_to_resume", message: expect.stringMatching(message) as string },
      head: null,
    });
    expect(executed).toEqual([]);
  });

  it("goes on from its own checkpoint when another worker began it", async () => {
    const run = await afterTurn("asking-2", { command, continues: "asking-1", base: "asking-1", head: "own" });

    expect(run).toMatchObject({ status: "success", head: "own" });
    expect(executed).toEqual([run._id]);
  });
});
