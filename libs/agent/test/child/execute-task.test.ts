import { describe, expect, it } from "vitest";

import { AntlerError } from "@antler/contracts";

import {
  calls,
  inOrder,
  inputText,
  type ModelServer,
  says,
  startModelServer,
  systemTexts,
  toolNames,
} from "../../../../test/harness/model-server.ts";
import { createModels, executeTask, type TaskToExecute } from "../../src/index.ts";
import { aConfig, aLease, aRecorder, aTask, openWorkspaces, type TestLease } from "../support/executions.ts";

const bash = (command: string) => ({ name: "bash", args: { description: "run", command } });

interface Execution {
  readonly task?: TaskToExecute;
  readonly lease?: TestLease;
  readonly recorder?: ReturnType<typeof aRecorder>;
  /** Configuration beside the models. */
  readonly over?: Record<string, unknown>;
}

async function execute(
  server: ModelServer,
  { task = aTask(), lease = aLease(), recorder = aRecorder(), over = {} }: Execution = {},
) {
  const config = aConfig(server.baseUrl, over);
  await using opened = await openWorkspaces(config);
  const outcome = await executeTask(
    { config, models: createModels(config, {}), ...opened, ...recorder.sinks },
    task,
    lease,
  );
  return { outcome, recorder, task, lease };
}

describe("executeTask", () => {
  it("DF-X1 DF-X16 DF-X34 works with the tools it was given and gives back its last words", async () => {
    await using server = await startModelServer(inOrder(calls(bash("echo hello")), says("There is one file")));

    const { outcome, recorder, task } = await execute(server);

    expect(outcome).toEqual({
      status: "completed",
      stop_reason: "completed",
      result: "There is one file",
      partial_result: null,
      error: null,
      usage: { input_tokens: 20, output_tokens: 10, total_tokens: 30 },
      steps: 3,
    });
    expect(server.requests.map(({ messages }) => messages.map(({ role }) => role))).toEqual([
      ["system", "user"],
      ["system", "user", "assistant", "tool"],
    ]);
    expect(systemTexts(server.requests[0]!)).toHaveLength(1);
    expect(toolNames(server.requests[0]!)).not.toContain("task");
    expect(recorder.events.map(({ key }) => key)).toEqual([1, 2, 3].map((n) => `${task._id}:0.1:step:${n}`));
    expect(recorder.usage.map(({ key, caller }) => [key, caller])).toEqual([
      [`${task._id}:1:1`, "subagent:general-purpose"],
      [`${task._id}:1:2`, "subagent:general-purpose"],
    ]);
    expect(JSON.stringify(server.requests[1])).toContain("hello");
  });

  it("DF-E1 DF-E2 stores each message as a step with the usage so far", async () => {
    await using server = await startModelServer(inOrder(calls({ ...bash("echo hello"), id: "b1" }), says("Done")));

    const { recorder, task } = await execute(server, { lease: aLease({ attempt: 2, round: 1 }) });

    const ids = {
      task_id: task._id,
      tool_call_id: "call_1",
      round: 1,
      attempt: 2,
      truncated: false,
      model_name: "main",
    };
    const first = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
    expect(recorder.events.map(({ data }) => data)).toMatchObject([
      { ...ids, kind: "ai", message_index: 1, tool_calls: [{ id: "b1", name: "bash" }], usage: first },
      { ...ids, kind: "tool", message_index: 2, tool_name: "bash", result_call_id: "b1", text: "hello", usage: first },
      { ...ids, kind: "ai", message_index: 3, text: "Done", usage: { total_tokens: 30 } },
    ]);
  });

  it("DF-E3 cuts the text of a step and says so", async () => {
    await using server = await startModelServer(inOrder(says("x".repeat(9000))));

    const { outcome, recorder } = await execute(server);

    expect(outcome.result).toHaveLength(9000);
    expect(recorder.events[0]?.data).toMatchObject({ text: "x".repeat(8192), truncated: true });
  });

  it("has stored each step before it makes its next model call", async () => {
    const recorder = aRecorder();
    const stored: number[] = [];
    await using server = await startModelServer((_request, index) => {
      stored.push(recorder.events.length);
      return index < 2 ? calls(bash(`echo ${index}`)) : says("Done");
    });

    await execute(server, { recorder });

    expect(stored).toEqual([0, 2, 4]);
  });

  it("tells a later attempt that earlier work may be there", async () => {
    await using server = await startModelServer(inOrder(says("Done")));

    await execute(server, { lease: aLease({ attempt: 2 }) });

    expect(JSON.stringify(server.requests[0]?.messages.at(-1))).toMatch(/Count the files.*earlier attempt/);
  });

  it("DF-X17 sends no system message when the type has no prompt", async () => {
    await using server = await startModelServer(inOrder(says("Done")));

    await execute(server, { task: aTask({ systemPrompt: "" }) });

    expect(server.requests[0]?.messages.map(({ role }) => role)).toEqual(["user"]);
  });

  it("DF-X15 falls back to earlier words when the last answer is empty", async () => {
    await using server = await startModelServer(
      inOrder(
        {
          content: "Two files so far",
          toolCalls: [{ name: "ls", arguments: '{"description":"look","path":"/mnt/user-data/workspace"}' }],
        },
        says(""),
      ),
    );

    expect((await execute(server)).outcome).toMatchObject({ status: "completed", result: "Two files so far" });
  });

  it("DF-X15 says so when nothing was said at all", async () => {
    await using server = await startModelServer(inOrder(says("")));

    expect((await execute(server)).outcome).toMatchObject({ status: "completed", result: "No response generated" });
  });

  it("DF-X3 takes words that look like an error for words", async () => {
    await using server = await startModelServer(inOrder(says("Error: provider failed")));

    expect((await execute(server)).outcome).toMatchObject({ status: "completed", result: "Error: provider failed" });
  });

  it.each([1, 3])("DF-X38 makes at most %i model calls, whatever the graph's own steps are", async (maxTurns) => {
    await using server = await startModelServer(() => calls(bash("true")));

    const { outcome } = await execute(server, { task: aTask({ maxTurns }) });

    expect(server.requests).toHaveLength(maxTurns);
    expect(outcome).toMatchObject({
      status: "failed",
      stop_reason: "turn_capped",
      result: null,
      error: `Reached max_turns=${maxTurns}`,
    });
  });

  it("gives back what it said so far when its turns are used up", async () => {
    await using server = await startModelServer(() => ({
      content: "3 of 5 done",
      toolCalls: [{ name: "bash", arguments: '{"description":"run","command":"true"}' }],
    }));

    const { outcome } = await execute(server, { task: aTask({ maxTurns: 2 }) });

    expect(outcome).toMatchObject({ status: "completed", stop_reason: "turn_capped", result: "3 of 5 done" });
  });

  it("DF-X7 carries a hundred turns without a limit of the graph in the way, each message one step", async () => {
    await using server = await startModelServer((_request, index) =>
      index < 100 ? calls({ name: "ls", args: { description: "look", path: "/mnt/user-data/outputs" } }) : says("Done"),
    );

    const over = { loop_detection: { enabled: false } };
    const { outcome, recorder } = await execute(server, { over });
    expect(outcome).toMatchObject({ status: "completed", steps: 201 });
    expect(new Set(recorder.events.map(({ data }) => data["message_id"])).size).toBe(201);
  });

  it("DF-X23 asks no model under a lease that was cancelled before", async () => {
    await using server = await startModelServer(inOrder(says("Done")));
    const lease = aLease();
    lease.abort("cancelled");

    await expect(execute(server, { lease })).rejects.toMatchObject({ code: "cancelled" });
    expect(server.requests).toHaveLength(0);
  });

  it.each(["cancelled", "lease_lost", "drained"] as const)(
    "DF-X24 stops a running command when the lease ends: %s",
    async (code) => {
      await using server = await startModelServer(() => calls(bash("echo x > /mnt/user-data/outputs/begun; sleep 60")));
      const config = aConfig(server.baseUrl);
      await using opened = await openWorkspaces(config);
      const lease = aLease();
      const task = aTask();
      const sandbox = await opened.workspaces.open("default", task.thread_id);
      const deps = { config, models: createModels(config, {}), ...opened, ...aRecorder().sinks };

      const outcome = executeTask(deps, task, lease);
      const ended = outcome.catch((error: unknown) => error);
      await expect.poll(() => sandbox.stat("/mnt/user-data/outputs/begun"), { timeout: 15_000 }).toBeDefined();
      lease.abort(code);

      expect(await ended).toMatchObject({ code });
      expect(server.requests).toHaveLength(1);
    },
  );

  it("asks no model once the lease is not surely held, though nobody has aborted", async () => {
    const lease = aLease();
    await using server = await startModelServer(() => {
      lease.lose();
      return calls(bash("true"));
    });

    await expect(execute(server, { lease })).rejects.toMatchObject({ code: "lease_lost" });
    expect(server.requests).toHaveLength(1);
  });

  it("DF-X25 keeps what it said as partial work when its time is over", async () => {
    const lease = aLease();
    await using server = await startModelServer(async (_request, index) => {
      if (index === 0)
        return {
          content: "Half way",
          toolCalls: [{ name: "bash", arguments: '{"description":"run","command":"true"}' }],
        };
      lease.abort("deadline_exceeded");
      return says("too late");
    });

    const { outcome } = await execute(server, { lease });

    expect(outcome).toMatchObject({
      status: "timed_out",
      stop_reason: "execution_timeout",
      result: null,
      partial_result: "Half way",
      error: "Execution timed out after 5 seconds",
      steps: 2,
    });
  });

  it("DF-X9 fails with the provider's words and keeps the usage", async () => {
    await using server = await startModelServer((_request, index) =>
      index === 0 ? calls(bash("true")) : { error: { message: "invalid model" }, status: 400 },
    );

    const { outcome } = await execute(server);

    expect(outcome).toMatchObject({ status: "failed", stop_reason: "model_error", usage: { total_tokens: 15 } });
    expect(outcome.error).toMatch(/invalid model/);
  });

  it.each([429, 500, 503])("repeats a call that the provider refused with %i", async (status) => {
    await using server = await startModelServer((_request, index) =>
      index === 0 ? { error: { message: "busy" }, status, retryAfter: 0 } : says("Done"),
    );

    expect((await execute(server)).outcome).toMatchObject({
      status: "completed",
      steps: 1,
      usage: { total_tokens: 15 },
    });
    expect(server.requests).toHaveLength(2);
  });

  it("rethrows a store that cannot be reached, so that the task is handed back", async () => {
    await using server = await startModelServer(inOrder(says("Done")));
    const recorder = aRecorder();
    recorder.sinks.usage.record = () => Promise.reject(new AntlerError("store_unavailable", "Store is gone"));

    await expect(execute(server, { recorder })).rejects.toMatchObject({ code: "store_unavailable" });
  });

  it("DF-X31 keeps executions of one call id apart, also at the same time", async () => {
    await using server = await startModelServer((request) => says(inputText(request.messages.at(-1)?.content)));
    const tasks = ["one", "two", "three"].map((prompt) => aTask({ prompt }));

    const done = await Promise.all(tasks.map((task) => execute(server, { task })));

    expect(done.map(({ outcome }) => outcome.result)).toEqual(["one", "two", "three"]);
    expect(done.map(({ recorder }) => recorder.events.map(({ task_id: id }) => id))).toEqual(
      tasks.map(({ _id }) => [_id]),
    );
  });
});

describe("the envelope", () => {
  it.each([
    ["an unknown version", { version: 2 as 1 }, /version/],
    ["another task's id", { task_id: aTask()._id }, /task_id/],
    ["another tenant", { identity: { ...aTask().envelope.identity, tenant_id: "other" } }, /identity\.tenant_id/],
    ["the task tool", { tools: ["bash", "task"] }, /tools task are not permitted/],
    ["a tool nobody knows", { tools: ["rm_rf"] }, /tools rm_rf are not permitted/],
    ["a tool beyond its groups", { tool_groups: ["file:read"], tools: ["write_file"] }, /write_file/],
    ["an unknown model", { model_name: "secret" }, /model secret/],
  ])("is refused with %s", async (_name, envelope, reason) => {
    await using server = await startModelServer(inOrder(says("Done")));

    const { outcome } = await execute(server, { task: aTask({ envelope }) });

    expect(outcome).toMatchObject({ status: "failed", stop_reason: "envelope_refused", steps: 0 });
    expect(outcome.error).toMatch(reason);
    expect(server.requests).toHaveLength(0);
  });

  it("is refused with a type that this runner does not know", async () => {
    await using server = await startModelServer(inOrder(says("Done")));

    const { outcome } = await execute(server, { task: aTask({ type: "analyst" }) });

    expect(outcome).toMatchObject({ stop_reason: "envelope_refused" });
    expect(outcome.error).toMatch(/analyst/);
  });
});
