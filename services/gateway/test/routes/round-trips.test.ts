import { afterAll, beforeAll, expect, it } from "vitest";

import type { RunEvent, RunView, ThreadStateView, ThreadView } from "@antler/contracts";
import type { StoredState } from "@antler/store";

import { type Gateway, type GatewayStack, startGatewayStack, valuesEvent } from "../gateway-stack.ts";
import { call } from "../http-client.ts";

/** Free-form JSON of every shape, with nullable objects and keys that schemas do not know. */
const FREE = {
  a: { b: 1 },
  none: null,
  object: { nullable: null, deeper: { extra: [{ x: null }, [], {}, "", 0, false] } },
  verdict: { evidence: { file: "a.md", lines: [1, 2] }, usage: null },
  "a.b": { $set: 1 },
  "": "empty name",
  unicode: "€🙂",
};

let stack: GatewayStack;
let gateway: Gateway;
let url: string;

/** What the state of each checkpoint is. */
const STATE: StoredState = {
  values: FREE,
  next: [],
  interrupts: [],
  metadata: FREE,
  created_at: "2026-01-01T00:00:00.000Z",
  checkpoint_id: "cp-1",
  parent_checkpoint_id: null,
} as unknown as StoredState;

beforeAll(async () => {
  stack = await startGatewayStack();
  gateway = await stack.open({ deps: { readState: async () => STATE } });
  url = gateway.url;
  stack.play(async ({ run, lease, emit }) => {
    await emit(valuesEvent(1, FREE));
    const fence = { id: run._id, epoch: lease.epoch, claimId: lease.claimId };
    await stack.deps.store.runs.settle(fence, {
      status: "success",
      fields: { stop_reason: "completed", output: FREE, head: "cp-1" },
      owed: ["end_event", "signal"],
    });
    return { status: "success", stop_reason: "completed", error: null, output: FREE };
  });
});
afterAll(async () => {
  await gateway.app.close();
  await stack.stop();
});

it("FC-D09 answers carry free-form JSON as it is stored, whatever keys and nulls it holds", async () => {
  const thread = await call<ThreadView>(`${url}/threads`, "POST", { metadata: FREE });
  const threadId = thread.body.thread_id;
  const body = {
    assistant_id: "lead",
    input: { messages: [], ...FREE },
    metadata: FREE,
    config: { configurable: FREE },
  };

  const created = await call<RunView>(`${url}/threads/${threadId}/runs`, "POST", body);

  const runUrl = `${url}/threads/${threadId}/runs/${created.body.run_id}`;
  const waited = await call(`${runUrl}/join`);
  const stored = await stack.deps.store.runs.get(created.body.run_id);
  expect({ metadata: stored?.metadata, input: stored?.input, output: stored?.output }).toEqual({
    metadata: FREE,
    input: body.input,
    output: FREE,
  });
  const listed = await call<RunView[]>(`${url}/threads/${threadId}/runs`);
  for (const run of [created.body, (await call<RunView>(runUrl)).body, listed.body[0]])
    expect({ metadata: run?.metadata, kwargs: run?.kwargs }).toMatchObject({
      metadata: stored?.metadata,
      kwargs: { input: stored?.input, config: stored?.config },
    });
  expect(created.body.metadata).toEqual(FREE);
  expect(created.body.kwargs["input"]).toEqual(body.input);
  expect(created.body.kwargs["config"]).toEqual(body.config);
  expect(waited.body).toEqual(FREE);

  const read = await call<ThreadView>(`${url}/threads/${threadId}`);
  expect({ metadata: read.body.metadata, values: read.body.values }).toEqual({ metadata: FREE, values: FREE });
  const state = await call<ThreadStateView>(`${url}/threads/${threadId}/state`);
  expect({ values: state.body.values, metadata: state.body.metadata }).toEqual({ values: FREE, metadata: FREE });
  const events = await call<RunEvent[]>(`${runUrl}/events?event_types=stream.values`);
  expect(events.body[0]?.data).toEqual({ mode: "values", namespace: [], payload: FREE });
});
