import { describe, expect, it } from "vitest";

import { AntlerError } from "@antler/contracts";

import { calls, inOrder, says, startModelServer } from "../../../../test/harness/model-server.ts";
import { aConfig, aLease, aRecorder, aRun, aSaver, openWorkspaces } from "../support/executions.ts";
import { anOutcome, recordingDelegate, startLead } from "../support/lead-runs.ts";
import { callsAndResults, savedMessages, toldMessages, whenResultSaved } from "../support/messages.ts";

const task = (id: string) => ({
  name: "task",
  args: { description: "Count", prompt: `Count ${id}`, subagent_type: "general-purpose" },
  id,
});

describe("a run that is claimed again", () => {
  it("goes on from its checkpoint: the input once, what was done once, the model not asked again", async () => {
    await using server = await startModelServer(inOrder(calls(task("c1"), task("c2"), task("c3")), says("All three")));
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);
    const saver = aSaver();
    const run = aRun();
    const first = aLease({ epoch: 1 });
    const allAsked = Promise.withResolvers<unknown>();
    const firstSaved = whenResultSaved(saver, "c1");
    const waiting = recordingDelegate(async ({ envelope, signal }) => {
      if (waiting.requests.length === 3) allAsked.resolve(true);
      if (envelope.tool_call_id === "c1") return anOutcome({ result: "first" });
      return new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
      });
    });
    const recorder = aRecorder();
    const handedBack = startLead({ config, ...opened, saver, run, lease: first, delegate: waiting.delegate, recorder });
    await Promise.all([allAsked.promise, firstSaved]);
    first.abort("drained");
    await expect(handedBack.outcome).rejects.toMatchObject({ code: "drained" });

    const again = recordingDelegate(({ envelope }) => anOutcome({ result: envelope.tool_call_id }));
    const resumed = startLead({
      ...{ config, ...opened, saver, recorder, delegate: again.delegate },
      run: { ...run, head: "some-checkpoint" },
      lease: aLease({ epoch: 2 }),
    });

    expect(await resumed.outcome).toMatchObject({ status: "success", output: { last_message: "All three" } });
    expect(again.requests.map(({ envelope }) => envelope.tool_call_id).sort()).toEqual(["c2", "c3"]);
    expect(server.requests).toHaveLength(2);
    const messages = await savedMessages(saver, run.thread_id);
    expect(messages.map((message) => message.type)).toEqual(["human", "ai", "tool", "tool", "tool", "ai"]);
    expect(callsAndResults(messages)).toEqual({ calls: ["c1", "c2", "c3"], results: ["c1", "c2", "c3"] });
    expect(toldMessages(recorder.events).map(({ type }) => type)).toEqual([
      "human",
      "ai",
      "tool",
      "tool",
      "tool",
      "ai",
    ]);
  });

  it("tells what an earlier claim had saved and not told, each message once", async () => {
    await using server = await startModelServer(inOrder(says("Done")));
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);
    const first = startLead({ config, ...opened });
    await first.outcome;

    const recorder = aRecorder();
    const again = startLead({ config, ...opened, saver: first.saver, run: { ...first.run, head: "x" }, recorder });

    expect(await again.outcome).toMatchObject({ status: "success", output: { last_message: "Done" } });
    expect(server.requests).toHaveLength(1);
    expect(toldMessages(recorder.events).map(({ type, content }) => [type, content])).toEqual([
      ["human", "Survey the workspace"],
      ["ai", "Done"],
    ]);
  });

  it("records its usage under its own epoch", async () => {
    await using server = await startModelServer(inOrder(says("Done")));
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);

    const { outcome, recorder, run } = startLead({ config, ...opened, lease: aLease({ epoch: 7 }) });
    await outcome;

    expect(recorder.usage).toMatchObject([
      { key: `${run._id}:7:1`, run_id: run._id, caller: "lead", total_tokens: 15 },
    ]);
    expect(recorder.usage[0]?.response_id).toBeTruthy();
  });

  it("leaves a lost lease to the one who holds it", async () => {
    const lease = aLease();
    await using server = await startModelServer(() => {
      lease.lose();
      return calls(task("c1"));
    });
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);
    const { delegate, requests } = recordingDelegate(() => anOutcome());

    await expect(startLead({ config, ...opened, lease, delegate }).outcome).rejects.toMatchObject({
      code: "lease_lost",
    });
    expect(requests).toEqual([]);
  });

  it("DF-T20 hands an infrastructure fault of a delegation on instead of telling the model", async () => {
    await using server = await startModelServer(inOrder(calls(task("c1")), says("I cope")));
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);
    const delegate = () => Promise.reject(new AntlerError("bus_unavailable", "Bus is gone"));

    await expect(startLead({ config, ...opened, delegate }).outcome).rejects.toMatchObject({ code: "bus_unavailable" });
    expect(server.requests).toHaveLength(1);
  });
});

describe("the limits of a run that is claimed again", () => {
  it("count the model calls that earlier claims have made", async () => {
    await using server = await startModelServer(() => calls({ name: "ls", args: { description: "look", path: `/` } }));
    const config = aConfig(server.baseUrl, { loop_detection: { enabled: false } });
    await using opened = await openWorkspaces(config);
    const saver = aSaver();
    const run = aRun({ config: { recursion_limit: 3 } });
    const first = aLease({ epoch: 1 });
    const recorder = aRecorder();
    const { append } = recorder.sinks.events;
    recorder.sinks.events.append = (event) => {
      append(event);
      if (event.type === "llm.tool.result") first.abort("drained");
    };
    await expect(startLead({ config, ...opened, saver, run, lease: first, recorder }).outcome).rejects.toMatchObject({
      code: "drained",
    });
    const before = server.requests.length;
    const resumed = startLead({ config, ...opened, saver, run: { ...run, head: "x" }, lease: aLease({ epoch: 2 }) });

    expect(await resumed.outcome).toMatchObject({ status: "error", stop_reason: "turn_capped" });
    expect(before).toBeGreaterThan(0);
    expect(server.requests).toHaveLength(3);
  });

  it("are told as the reason of its end also when an earlier claim met them", async () => {
    await using server = await startModelServer(
      inOrder(calls(task("c1"), task("c2")), calls(task("c3")), says("Done")),
    );
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);
    const saver = aSaver();
    const run = aRun({ context: { max_total_subagents: 1 } });
    const { delegate } = recordingDelegate(() => anOutcome());
    await startLead({ config, ...opened, saver, run, delegate }).outcome;
    const resumed = startLead({
      config,
      ...opened,
      saver,
      delegate,
      run: { ...run, head: "x" },
      lease: aLease({ epoch: 2 }),
    });

    expect(await resumed.outcome).toMatchObject({ status: "success", stop_reason: "subagent_limit_capped" });
  });
});

describe("a run that is cancelled", () => {
  it("leaves a result for every open call, of a task what the ledger says", async () => {
    const lease = aLease();
    await using server = await startModelServer(
      inOrder(calls(task("c1"), { name: "bash", args: { description: "wait", command: "sleep 60" }, id: "b1" })),
    );
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);
    const { delegate } = recordingDelegate(({ signal }) => {
      lease.abort("cancelled");
      return Promise.reject(signal.reason as Error);
    });
    const endedCalls = new Map([["c1", anOutcome({ status: "cancelled", result: null, error: "Cancelled by user" })]]);

    const { outcome, saver, run, recorder } = startLead({ config, ...opened, lease, delegate, endedCalls });

    await expect(outcome).rejects.toMatchObject({ code: "cancelled" });
    const messages = await savedMessages(saver, run.thread_id);
    expect(callsAndResults(messages)).toEqual({ calls: ["b1", "c1"], results: ["b1", "c1"] });
    expect(messages.slice(2).map(({ content }) => content)).toEqual([
      "Task cancelled by user. Error: Cancelled by user",
      "Error: This tool call was interrupted and has no result.",
    ]);
    expect(toldMessages(recorder.events).map(({ type }) => type)).toEqual(["human", "ai", "tool", "tool"]);
  });
});

describe("the next run on a thread", () => {
  it("closes calls that a dead lead left open before it takes its input", async () => {
    await using server = await startModelServer(inOrder(calls(task("c1")), says("I know")));
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);
    const lease = aLease();
    const { delegate } = recordingDelegate(({ signal }) => {
      lease.abort("lease_lost");
      return Promise.reject(signal.reason as Error);
    });
    const dead = startLead({ config, ...opened, lease, delegate });
    await expect(dead.outcome).rejects.toMatchObject({ code: "lease_lost" });

    const input = { messages: [{ type: "human", content: "And now?" }] };
    const next = startLead({
      ...{ config, ...opened, saver: dead.saver },
      run: aRun({ thread_id: dead.run.thread_id, input }),
      endedCalls: new Map([["c1", anOutcome({ result: "48 files" })]]),
    });

    expect(await next.outcome).toMatchObject({ status: "success" });
    const messages = await savedMessages(dead.saver, dead.run.thread_id);
    expect(messages.map((message) => [message.type, message.content])).toEqual([
      ["human", "Survey the workspace"],
      ["ai", ""],
      ["tool", "Task Succeeded. Result: 48 files"],
      ["human", "And now?"],
      ["ai", "I know"],
    ]);
    expect(server.requests[1]?.messages.map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "user",
      "user",
    ]);
  });
});
