import { describe, expect, it } from "vitest";

import {
  calls,
  inOrder,
  inputText,
  type ModelAnswer,
  says,
  startModelServer,
  systemTexts,
  toolNames,
} from "../../../../test/harness/model-server.ts";
import { aConfig, aLease, aRun, aSaver, openWorkspaces } from "../support/executions.ts";
import { anOutcome, recordingDelegate, startLead } from "../support/lead-runs.ts";
import { savedMessages, toldMessages } from "../support/messages.ts";

const bash = (command: string, id?: string) => ({
  name: "bash",
  args: { description: "run", command },
  ...(id !== undefined && { id }),
});

describe("executeRun", () => {
  it("answers, and tells what happened in the run's log", async () => {
    await using server = await startModelServer(inOrder(says("Nothing to do")));
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);

    const run = aRun({ stream_modes: ["values", "updates", "messages-tuple"] });
    const { outcome, recorder } = startLead({ config, ...opened, run });

    expect(await outcome).toEqual({
      status: "success",
      stop_reason: "completed",
      error: null,
      output: { last_message: "Nothing to do" },
    });
    expect(toolNames(server.requests[0]!)).toContain("task");
    expect(recorder.events.map(({ type }) => type)).toEqual([
      "run.start",
      "llm.human.input",
      "stream.values",
      "stream.updates",
      "stream.values",
      "llm.ai.response",
      "stream.updates",
      "stream.values",
    ]);
    expect(recorder.events[2]?.data).toMatchObject({
      mode: "values",
      namespace: [],
      payload: { messages: [{ type: "human", content: "Survey the workspace" }] },
    });
  });

  it("sends deltas of the answer live when messages are streamed, and their sum is the answer", async () => {
    const text = "A rather long answer that comes in several pieces over the wire";
    await using server = await startModelServer(inOrder(says(text)));
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);

    const { outcome, recorder } = startLead({ config, ...opened, run: aRun({ stream_modes: ["messages-tuple"] }) });
    await outcome;

    expect(recorder.live.map(({ message }) => message["content"]).join("")).toBe(text);
    const ids = new Set(recorder.live.map(({ message }) => message["id"]));
    expect([...ids]).toEqual([toldMessages(recorder.events)[1]?.["id"]]);
    expect(recorder.live[0]).toMatchObject({
      namespace: [],
      message: { type: "AIMessageChunk" },
      metadata: { langgraph_node: "model_request" },
    });
    expect(recorder.events.some(({ type }) => type.startsWith("stream."))).toBe(false);
    expect(recorder.usage).toMatchObject([{ caller: "lead", input_tokens: 10, output_tokens: 5, total_tokens: 15 }]);
  });

  it("sends no deltas when nobody streams messages", async () => {
    await using server = await startModelServer(inOrder(says("Quiet")));
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);

    const { outcome, recorder } = startLead({ config, ...opened });
    await outcome;

    expect(recorder.live).toEqual([]);
  });

  it("sends one system message at the head, whatever the input brings", async () => {
    await using server = await startModelServer(inOrder(calls(bash("true")), says("Done")));
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);
    const input = {
      messages: [
        { role: "user", content: "First" },
        { role: "system", content: "Be brief." },
        { type: "human", content: "Second" },
      ],
    };

    await startLead({ config, ...opened, run: aRun({ input }) }).outcome;

    expect(server.requests).toHaveLength(2);
    for (const request of server.requests) {
      expect(request.messages.map(({ role }) => role).slice(0, 3)).toEqual(["system", "user", "user"]);
      expect(systemTexts(request)).toHaveLength(1);
      expect(systemTexts(request)[0]).toMatch(/<role>.*Be brief\./s);
    }
  });

  it("gives every call an id of its own, though the provider repeats one", async () => {
    await using server = await startModelServer(
      inOrder(
        calls(bash("echo one", "same"), bash("echo two", "same")),
        calls(bash("echo three", "same")),
        says("Done"),
      ),
    );
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);

    const { outcome, saver, run } = startLead({ config, ...opened });
    await outcome;

    const messages = await savedMessages(saver, run.thread_id);
    const results = messages.filter((message) => message.type === "tool");
    expect(results.map(({ content }) => content)).toEqual(["one", "two", "three"]);
    const ids = results.map((message) => ("tool_call_id" in message ? message.tool_call_id : undefined));
    expect(new Set(ids).size).toBe(3);
    const sent = server.requests[2]!.messages.flatMap((message) =>
      message.role === "tool" ? [message.tool_call_id] : [],
    );
    expect(sent).toEqual(ids);
  });

  it("keeps answers apart when the provider repeats the id of its message", async () => {
    const fixed = (answer: ModelAnswer) => ({ ...answer, id: "chatcmpl-always" }) as ModelAnswer;
    await using server = await startModelServer(inOrder(fixed(calls(bash("echo one"))), fixed(says("Done"))));
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);

    const { outcome, saver, run } = startLead({ config, ...opened });
    await outcome;

    expect((await savedMessages(saver, run.thread_id)).map((message) => message.type)).toEqual([
      "human",
      "ai",
      "tool",
      "ai",
    ]);
  });

  it("tells the model what a tool threw, and goes on", async () => {
    await using server = await startModelServer(
      inOrder(
        calls(
          { name: "bash", args: { wrong: true }, id: "b1" },
          { name: "bash", args: '{"command": "ls', id: "b2" },
          { name: "nothing", args: {}, id: "b3" },
        ),
        says("Sorry"),
      ),
    );
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);

    const { outcome, saver, run } = startLead({ config, ...opened });

    expect(await outcome).toMatchObject({ status: "success", output: { last_message: "Sorry" } });
    const results = (await savedMessages(saver, run.thread_id)).filter((message) => message.type === "tool");
    expect(results).toHaveLength(3);
    expect(results[0]?.text).toMatch(
      /^Error: Tool 'bash' failed with \w+: .*Continue with available context, or choose an alternative tool\.$/s,
    );
    expect(results[2]?.text).toMatch(/^Error: Tool 'bash' failed with/);
    expect(results[1]?.text).toMatch(/^Error: Tool 'nothing' is not available/);
  });

  it("DF-U7 tells a task that could not be handed over as a failed task", async () => {
    const task = { name: "task", args: { description: "d", prompt: "p", subagent_type: "bash" }, id: "c1" };
    await using server = await startModelServer(inOrder(calls(task), says("Sorry")));
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);
    const delegate = () => Promise.reject(new TypeError("bad"));

    const { outcome, recorder } = startLead({ config, ...opened, delegate });
    await outcome;

    expect(toldMessages(recorder.events)[2]).toMatchObject({
      content:
        "Error: Tool 'task' failed with TypeError: bad. Continue with available context, or choose an alternative tool.",
      status: "error",
      additional_kwargs: { subagent_status: "failed", subagent_error: "TypeError: bad" },
    });
  });

  it.each([
    [400, "model_failed"],
    [503, "model_unavailable"],
  ])("ends with model_error when the provider answers %i", async (status, code) => {
    await using server = await startModelServer(() => ({ error: { message: "no luck" }, status }));
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);

    const outcome = await startLead({ config, ...opened }).outcome;

    expect(outcome).toMatchObject({ status: "error", stop_reason: "model_error", error: { code } });
    expect(outcome.error?.message).toMatch(/no luck/);
  });

  it("ends with model_error when the provider cannot be reached", async () => {
    const server = await startModelServer(inOrder(says("Done")));
    await server[Symbol.asyncDispose]();
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);

    const outcome = await startLead({ config, ...opened }).outcome;

    expect(outcome).toMatchObject({
      status: "error",
      stop_reason: "model_error",
      error: {
        code: "model_unavailable",
        message: expect.stringMatching(/look at base_url of the model \(OPENAI_BASE_URL\)$/) as string,
      },
    });
  });

  it("DF-C20 names the remedy when no model is configured, and the names when an unknown one is asked for", async () => {
    const config = aConfig("http://127.0.0.1:1/v1");
    await using opened = await openWorkspaces(config);
    const none = await startLead({ config: { ...config, models: [] }, ...opened }).outcome;
    const unknown = await startLead({ config, ...opened, run: aRun({ context: { model_name: "gpt-9" } }) }).outcome;

    expect(none.error).toMatchObject({
      code: "model_unknown",
      message: expect.stringMatching(/No chat models are configured/) as string,
    });
    expect(unknown.error).toMatchObject({
      code: "model_unknown",
      message: expect.stringMatching(/gpt-9 .*main, big/) as string,
    });
  });

  it.each([
    ["a message that is none", { messages: [{ colour: "red" }] }, /messages\.0/],
    ["messages that are no list", { messages: 5 }, /messages/],
  ])("refuses input with %s", async (_name, input, reason) => {
    await using server = await startModelServer(inOrder(says("Done")));
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);

    const outcome = await startLead({ config, ...opened, run: aRun({ input }) }).outcome;

    expect(outcome).toMatchObject({ status: "error", error: { code: "invalid_request" } });
    expect(outcome.error?.message).toMatch(reason);
    expect(server.requests).toHaveLength(0);
  });

  it("ends with turn_capped at the run's recursion_limit, counted in model calls", async () => {
    await using server = await startModelServer(() => calls(bash("true")));
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);

    const outcome = await startLead({ config, ...opened, run: aRun({ config: { recursion_limit: 3 } }) }).outcome;

    expect(outcome).toMatchObject({
      status: "error",
      stop_reason: "turn_capped",
      error: { code: "deadline_exceeded" },
    });
    expect(server.requests).toHaveLength(3);
  });

  it("lets no limit of the graph cut it before its model calls are used up", async () => {
    await using server = await startModelServer((_request, index) =>
      index < 60 ? calls({ name: "ls", args: { description: "l", path: "/mnt/user-data/outputs" } }) : says("Done"),
    );
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);

    expect(await startLead({ config, ...opened }).outcome).toMatchObject({ status: "success" });
  });

  it("FC-C06 stores a message once that its input brings twice, and one without an id under an id of its own", async () => {
    await using server = await startModelServer(inOrder(says("Done")));
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);
    const twice = { role: "user", content: "Go", id: "m1" };
    const run = aRun({ input: { messages: [twice, twice, { role: "user", content: "Now" }] } });
    const { outcome, saver } = startLead({ config, ...opened, run });
    await outcome;
    const messages = await savedMessages(saver, run.thread_id);

    expect(messages.map(({ text }) => text)).toEqual(["Go", "Now", "Done"]);
    expect(new Set(messages.map(({ id }) => id)).size).toBe(3);
  });

  it("continues the thread of an earlier run", async () => {
    await using server = await startModelServer(inOrder(says("First"), says("Second")));
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);
    const first = startLead({ config, ...opened });
    await first.outcome;

    const input = { messages: "And now?" };
    const second = startLead({
      config,
      ...opened,
      saver: first.saver,
      run: aRun({ thread_id: first.run.thread_id, input }),
    });
    await second.outcome;

    expect(server.requests[1]?.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
    expect(toldMessages(second.recorder.events).map(({ content }) => content)).toEqual(["And now?", "Second"]);
  });

  it("keeps runs of one process apart", async () => {
    await using server = await startModelServer((request) =>
      request.messages.length === 2
        ? calls({
            name: "task",
            args: { description: "d", prompt: inputText(request.messages[1]?.content), subagent_type: "bash" },
          })
        : says(inputText(request.messages.at(-1)?.content)),
    );
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);
    const saver = aSaver();
    const { delegate } = recordingDelegate(({ envelope }) =>
      anOutcome({ result: `${envelope.run_id} ${envelope.prompt}` }),
    );
    const started = ["red", "green", "blue", "white"].map((content) =>
      startLead({
        config,
        ...opened,
        saver,
        delegate,
        run: aRun({ input: { messages: [{ role: "user", content }] } }),
      }),
    );

    const outcomes = await Promise.all(started.map(({ outcome }) => outcome));

    const expected = started.map(({ run }, index) => `${run._id} ${["red", "green", "blue", "white"][index]!}`);
    outcomes.forEach(({ output }, index) => {
      expect(output?.["last_message"]).toBe(`Task Succeeded. Result: ${expected[index]!}`);
    });
    for (const { recorder, run } of started) {
      expect(toldMessages(recorder.events)).toHaveLength(4);
      expect(recorder.usage.every(({ run_id: id }) => id === run._id)).toBe(true);
    }
  });

  it("throws the reason when its time is over", async () => {
    const lease = aLease();
    await using server = await startModelServer(async () => {
      lease.abort("deadline_exceeded");
      return says("too late");
    });
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);

    await expect(startLead({ config, ...opened, lease }).outcome).rejects.toMatchObject({ code: "deadline_exceeded" });
  });
});
