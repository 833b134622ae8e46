import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { RunView } from "@antler/contracts";
import { delay, withDeadline } from "@antler/platform";

import type { RunIds } from "../harness/gateway-client.ts";
import type { ModelAnswer, ModelRequest } from "../harness/model-server.ts";
import { processesWith } from "../harness/processes-with.ts";
import { cancelAndWatch, type Cancelled, markOf, newThread, openCallsOf, startMarked } from "./stack/cancelled-run.ts";
import { type FaultStack, startFaultStack } from "./stack/fault-stack.ts";
import type { GatedScript, GatedScriptOptions } from "./stack/gated-script.ts";
import { type MarkedScripts, markedScripts } from "./stack/marked-scripts.ts";
import { expectWhole } from "./stack/whole-run.ts";

interface Place {
  readonly script: GatedScript;
  readonly mark: string;
  readonly threadId: string;
  readonly start: () => Promise<RunIds>;
}

interface Moment {
  readonly options?: (mark: string) => GatedScriptOptions;
  /** Whether the run is held there until it has ended. */
  readonly isGivenUp?: boolean;
  /** Starts the run and resolves when it has come to the moment, with what lets it go on. */
  readonly come: (place: Place) => Promise<() => void>;
}

const atCall = (gateOf: (script: GatedScript) => ReturnType<GatedScript["leadCall"]>): Moment["come"] => {
  return async ({ script, start }) => {
    const { reached, open } = gateOf(script);
    await start();
    await reached;
    return open;
  };
};

/** Stops what has all the words on its way to the store. */
const held = (wordsOf: (place: Place) => readonly string[]): Moment["come"] => {
  return async (place) => {
    const holding = stack.storeTap.hold(...wordsOf(place));
    await place.start();
    const piece = await holding;
    return () => piece.forward();
  };
};

const inCommand: Moment["come"] = async ({ mark, start }) => {
  await start();
  while ((await processesWith(`sleep ${mark}`)).length === 0) await delay(50);
  return () => undefined;
};

const sleeping = (tasks: number) => (mark: string) => ({ tasks, command: `trap '' TERM; sleep ${mark}` });

const MOMENTS: Readonly<Record<string, Moment>> = {
  "before its first model call": { come: held(({ threadId }) => ["update", "checkpoints", threadId]) },
  "in its first model call": { come: atCall((script) => script.leadCall(0)), isGivenUp: true },
  "while it waits to ask the model again": {
    async come({ mark, start }) {
      const asked = Promise.withResolvers<undefined>();
      overloaded.set(mark, () => asked.resolve(undefined));
      await start();
      await asked.promise;
      return () => overloaded.delete(mark);
    },
  },
  "in a tool call of its own": { options: sleeping(0), come: inCommand },
  "while a task of it is inserted": { come: held(({ mark }) => ["tasks", "envelope", mark]) },
  "while a task of it is claimed": { come: held(({ threadId }) => ["insert", "events", "subagent.start", threadId]) },
  "while its tasks are in a model call": { come: atCall((script) => script.taskCall(1)), isGivenUp: true },
  "while its tasks run commands": { options: sleeping(2), come: inCommand },
  "while a task of it settles": { come: held(({ mark }) => ["findAndModify", "tasks", "result_sha256", mark]) },
  "in its last model call": { come: atCall((script) => script.leadCall(2)), isGivenUp: true },
  "while its end is stored": {
    async come({ start }) {
      const { runId } = await start();
      const piece = await stack.storeTap.hold("findAndModify", "runs", "last_message", runId);
      return () => piece.forward();
    },
  },
};

const CASE_LIMIT_MS = 120_000;
const COME_WITHIN_MS = 40_000;
const PLACES = { interactive: 32 };

let stack: FaultStack;
let scripts: MarkedScripts;
const cancelled = new Map<string, Promise<Cancelled>>();
/** Runs whose model refuses every call, by mark, with what is done then. */
const overloaded = new Map<string, () => void>();

function overloadOf({ messages }: ModelRequest): ModelAnswer | undefined {
  const text = JSON.stringify(messages);
  const [, tell] = [...overloaded].find(([mark]) => text.includes(mark)) ?? [];
  tell?.();
  return tell && { error: { message: "Too many requests", type: "rate_limit_error" }, status: 429 };
}

beforeAll(async () => {
  const pools = { lead: { slots: PLACES, concurrency: PLACES }, general: { slots: PLACES, concurrency: PLACES } };
  const size = { gateway: 1, "lead-runner": 1, "subagent-runner": 1 };
  stack = await startFaultStack({ size, document: () => ({ pools }) });
  scripts = markedScripts();
  stack.script((request) => overloadOf(request) ?? scripts.answer(request));
  Object.keys(MOMENTS).forEach((name, place) => cancelled.set(name, cancelAt(name, markOf(place))));
  for (const cancelling of cancelled.values()) cancelling.catch(() => undefined);
}, 300_000);
afterAll(() => stack.stop());

async function cancelAt(name: string, mark: string): Promise<Cancelled> {
  const client = stack.client();
  const { options, come, isGivenUp = false } = MOMENTS[name]!;
  const script = scripts.add(mark, options?.(mark));
  const threadId = await newThread(client);
  let ids: RunIds = { threadId, runId: "" };
  const start = async () => (ids = await startMarked(client, mark, threadId));
  const release = await withDeadline(() => come({ script, mark, threadId, start }), COME_WITHIN_MS);
  return cancelAndWatch({ client, scripts, mark, ids, release, isGivenUp });
}

describe("a run that is cancelled twice at once", { timeout: CASE_LIMIT_MS }, () => {
  it.each(Object.keys(MOMENTS))("%s", async (name) => {
    const { ids, ...seen } = await cancelled.get(name)!;
    const client = stack.client();
    const run = await client.get<RunView>(`/runs/${ids.runId}`);

    expect(seen).toEqual({ statuses: [202, 202], waitedStatus: 204, lateCalls: 0, survivors: [] });
    expect(run).toMatchObject({ status: "interrupted", stop_reason: "cancelled" });
    const { tasks, messages } = await expectWhole(stack.deps.store, ids.runId, "interrupted");
    expect(messages.length > 0 || name.startsWith("before")).toBe(true);
    expect(tasks.filter(({ status }) => status !== "cancelled" && status !== "completed")).toEqual([]);
    expect(await openCallsOf(client, ids.threadId)).toEqual([]);
    expect(await client.post(`/threads/${ids.threadId}/runs/${ids.runId}/cancel`)).toMatchObject({ status: 202 });
  });

  it.each(Object.keys(MOMENTS))("%s: the next run on the thread works", async (name) => {
    const { ids } = await cancelled.get(name)!;
    const mark = `${ids.runId}-next`;
    scripts.add(mark, { tasks: 1 });
    const next = await startMarked(stack.client(), mark, ids.threadId);

    await expectWhole(stack.deps.store, next.runId);
  });
});
