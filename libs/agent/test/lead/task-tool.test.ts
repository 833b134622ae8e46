import { describe, expect, it } from "vitest";

import { calls, inOrder, says, startModelServer } from "../../../../test/harness/model-server.ts";
import { aConfig, aRun, openWorkspaces } from "../support/executions.ts";
import { anOutcome, aTaskEvent, recordingDelegate, startLead } from "../support/lead-runs.ts";
import { callsAndResults, savedMessages, toldMessages } from "../support/messages.ts";

const task = (subagentType: string, id?: string) => ({
  name: "task",
  args: { description: "Count the files", prompt: "Count every file", subagent_type: subagentType },
  ...(id !== undefined && { id }),
});

describe("the task tool", () => {
  it("DF-T1 answers an unknown type without delegating", async () => {
    await using server = await startModelServer(inOrder(calls(task("nope", "c1")), says("I see")));
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);
    const { delegate, requests } = recordingDelegate(() => anOutcome());

    const { outcome, recorder } = startLead({ config, ...opened, delegate });
    await outcome;

    const [, , result] = toldMessages(recorder.events);
    expect(result).toMatchObject({
      type: "tool",
      tool_call_id: "c1",
      content: "Task failed. Error: Unknown subagent type 'nope'. Available: general-purpose, bash",
      additional_kwargs: { subagent_status: "failed" },
    });
    expect(requests).toEqual([]);
  });

  it("DF-T2 refuses the bash type where commands would run unisolated without leave", async () => {
    await using server = await startModelServer(inOrder(calls(task("bash", "c1")), says("I see")));
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);
    const { delegate, requests } = recordingDelegate(() => anOutcome());
    const workspaces = { ...opened.workspaces, bashAvailable: false };

    const { outcome, recorder } = startLead({ config, workspaces, delegate });
    await outcome;

    const content = String(toldMessages(recorder.events)[2]?.["content"]);
    expect(content).toMatch(/^Task failed\. Error: Bash subagent is disabled for LocalSandboxProvider/);
    expect(content).toContain("isolated sandbox provider");
    expect(content).toContain("sandbox.allow_host_bash: true");
    expect(requests).toEqual([]);
  });

  it("DF-T3 DF-T5 shows each stored event of the task as a custom frame, once and in order", async () => {
    await using server = await startModelServer(inOrder(calls(task("general-purpose", "c1")), says("Thanks")));
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);
    const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
    const step = { kind: "ai", truncated: false, model_name: "main", usage };
    const { delegate } = recordingDelegate(({ envelope, onEvent }) => {
      onEvent(
        aTaskEvent(envelope, "subagent.start", {
          description: "d",
          subagent_type: "x",
          model_name: "main",
          runner_id: "r",
          pid: 1,
        }),
      );
      onEvent(aTaskEvent(envelope, "subagent.step", { ...step, message_index: 1, total_messages: 1, text: "a" }));
      onEvent(aTaskEvent(envelope, "subagent.step", { ...step, message_index: 2, total_messages: 2, text: "b" }));
      onEvent(
        aTaskEvent(envelope, "subagent.end", {
          status: "completed",
          stop_reason: "completed",
          model_name: "main",
          usage,
          result: "48 files",
        }),
      );
      return anOutcome({ result: "48 files", usage });
    });

    const { outcome, recorder } = startLead({ config, ...opened, delegate, run: aRun({ stream_modes: ["custom"] }) });
    await outcome;

    expect(recorder.events.filter(({ type }) => type === "stream.custom")).toEqual([]);
    expect(toldMessages(recorder.events)[2]).toMatchObject({
      content: "Task Succeeded. Result: 48 files",
      status: "success",
      additional_kwargs: {
        subagent_status: "completed",
        subagent_result_brief: "48 files",
        subagent_result_sha256: "a".repeat(64),
        subagent_model_name: "main",
        subagent_token_usage: usage,
      },
    });
  });

  it.each([
    ["DF-T13", { status: "failed", result: null, error: "boom" }, "Task failed. Error: boom"],
    [
      "DF-T15",
      { status: "timed_out", result: null, error: "Execution timed out after 5 seconds" },
      "Task timed out. Error: Execution timed out after 5 seconds",
    ],
    [
      "DF-T16",
      { status: "cancelled", result: null, error: "Cancelled by user" },
      "Task cancelled by user. Error: Cancelled by user",
    ],
    [
      "DF-T25",
      { result: "3 of 5", stopReason: "token_capped" },
      "Task Succeeded (capped: token budget). Result: 3 of 5",
    ],
  ] as const)("%s says how the task ended", async (_id, outcomeFacts, text) => {
    await using server = await startModelServer(inOrder(calls(task("general-purpose", "c1")), says("Thanks")));
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);
    const { delegate } = recordingDelegate(() => anOutcome(outcomeFacts));

    const { outcome, recorder } = startLead({ config, ...opened, delegate });
    await outcome;

    expect(toldMessages(recorder.events)[2]?.["content"]).toBe(text);
  });

  it("DF-T7 narrows the subagent's tools to the lead's groups", async () => {
    await using server = await startModelServer(inOrder(calls(task("general-purpose", "c1")), says("Thanks")));
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);
    const { delegate, requests } = recordingDelegate(() => anOutcome());

    await startLead({ config, ...opened, delegate, run: aRun({ context: { tool_groups: ["file:read"] } }) }).outcome;

    expect(requests[0]?.envelope).toMatchObject({
      tool_groups: ["file:read"],
      tools: ["ls", "read_file", "glob", "grep"],
    });
  });

  it("DF-T8 gives all tools but task without groups", async () => {
    await using server = await startModelServer(
      inOrder(calls(task("general-purpose", "c1"), task("bash", "c2")), says("Thanks")),
    );
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);
    const { delegate, requests } = recordingDelegate(() => anOutcome());

    await startLead({ config, ...opened, delegate }).outcome;

    expect(
      requests.map(({ envelope }) => [envelope.subagent.name, envelope.tool_groups, envelope.tools.toSorted()]),
    ).toEqual([
      ["general-purpose", null, ["bash", "glob", "grep", "ls", "read_file", "str_replace", "web_fetch", "write_file"]],
      ["bash", null, ["bash", "ls", "read_file", "str_replace", "write_file"]],
    ]);
  });

  it("DF-T9 uses the model of the type before the lead's", async () => {
    await using server = await startModelServer(inOrder(calls(task("general-purpose", "c1")), says("Thanks")));
    const config = aConfig(server.baseUrl, { subagents: { agents: { "general-purpose": { model: "big" } } } });
    await using opened = await openWorkspaces(config);
    const { delegate, requests } = recordingDelegate(() => anOutcome());

    await startLead({ config, ...opened, delegate }).outcome;

    expect(requests[0]?.envelope.model_name).toBe("big");
  });

  it("runs the calls of one answer at the same time and answers each", async () => {
    const ids = ["c1", "c2", "c3"];
    await using server = await startModelServer(
      inOrder(calls(...ids.map((id) => task("general-purpose", id))), says("All three")),
    );
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);
    const all = Promise.withResolvers<undefined>();
    const { delegate, requests } = recordingDelegate(async ({ envelope }) => {
      if (requests.length === 3) all.resolve(undefined);
      await all.promise;
      return anOutcome({ result: envelope.tool_call_id });
    });

    const { outcome, saver, run } = startLead({ config, ...opened, delegate });

    expect(await outcome).toMatchObject({ status: "success", output: { last_message: "All three" } });
    expect(callsAndResults(await savedMessages(saver, run.thread_id))).toEqual({ calls: ids, results: ids });
  });

  it("trims surplus calls before any tool runs, and tells it with the answer", async () => {
    const ids = ["c1", "c2", "c3", "c4", "c5"];
    await using server = await startModelServer(
      inOrder(calls(...ids.map((id) => task("general-purpose", id))), says("Three")),
    );
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);
    const { delegate, requests } = recordingDelegate(() => anOutcome());

    const { outcome, recorder } = startLead({ config, ...opened, delegate });
    await outcome;

    expect(requests.map(({ envelope }) => envelope.tool_call_id)).toEqual(["c1", "c2", "c3"]);
    const answer = recorder.events.find(({ type }) => type === "llm.ai.response")!;
    expect(answer.data["dropped_task_calls"]).toEqual({ count: 2, reason: "per_response" });
    expect((answer.data["message"] as { tool_calls: unknown[] }).tool_calls).toHaveLength(3);
  });

  it("DF-L12 ends with subagent_limit_capped when the run's total is used up", async () => {
    await using server = await startModelServer(inOrder(calls(task("general-purpose", "c9"))));
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);
    const run = aRun({ context: { max_total_subagents: 2 }, calls: ["a", "b"] });

    const outcome = await startLead({ config, ...opened, run }).outcome;

    expect(outcome).toMatchObject({ status: "success", stop_reason: "subagent_limit_capped" });
    expect(outcome.output?.["last_message"]).toMatch(/^\[SUBAGENT LIMIT REACHED\]/);
  });

  it("is hidden from a lead that may not delegate", async () => {
    await using server = await startModelServer(inOrder(says("Alone")));
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);

    await startLead({ config, ...opened, run: aRun({ context: { subagent_enabled: false } }) }).outcome;

    expect(JSON.stringify(server.requests[0])).not.toContain("subagent_type");
    expect(JSON.stringify(server.requests[0])).not.toContain("<subagent_system>");
  });
});
