import { describe, expect, it } from "vitest";

import {
  calls,
  inOrder,
  type ModelAnswer,
  type ModelRequest,
  says,
  startModelServer,
  systemTexts,
} from "../../../../test/harness/model-server.ts";
import type { DelegationRequest } from "../../src/index.ts";
import { aConfig, aRun, aSaver, openWorkspaces } from "../support/executions.ts";
import { anOutcome, recordingDelegate, startLead } from "../support/lead-runs.ts";

type Answer = (request: ModelRequest, index: number) => ModelAnswer | Promise<ModelAnswer>;

const task = (id: string, prompt = "Count the files") => ({
  name: "task",
  args: { description: `about ${id}`, prompt, subagent_type: "general-purpose" },
  id,
});

const blockOf = (request: ModelRequest | undefined) =>
  (request?.messages ?? [])
    .filter(({ role }) => role === "user")
    .map(({ content }) => (typeof content === "string" ? content : ""))
    .find((content) => content.startsWith("<durable_context_data>"));

interface Given {
  readonly over?: Record<string, unknown>;
  readonly turns?: readonly string[];
  readonly context?: Record<string, unknown>;
  readonly answerTask?: (request: DelegationRequest) => ReturnType<typeof anOutcome>;
}

/** Runs on one thread, one after the other. */
async function lead(
  answer: Answer,
  { over, turns = ["Go on"], context = {}, answerTask = () => anOutcome() }: Given = {},
) {
  await using server = await startModelServer(answer);
  const config = aConfig(server.baseUrl, over);
  await using opened = await openWorkspaces(config);
  const { delegate, requests: delegated } = recordingDelegate(answerTask);
  const saver = aSaver();
  const base = aRun({ context });
  const outcomes = [];
  for (const content of turns) {
    const run = { ...aRun({ context }), thread_id: base.thread_id, input: { messages: [{ role: "user", content }] } };
    outcomes.push(await startLead({ config, ...opened, delegate, saver, run }).outcome);
  }
  return { requests: server.requests, delegated, outcomes };
}

describe("what a lead has delegated", () => {
  it("is shown with each call as data before the turn's own message, with one system message", async () => {
    const { requests } = await lead(inOrder(calls(task("a"), task("b", "Other")), says("Thanks")));

    expect(blockOf(requests[0])).toBeUndefined();
    expect(blockOf(requests[1])).toContain("- [completed] about a (via general-purpose; do NOT delegate again");
    expect(requests[1]?.messages.map(({ role }) => role)).toEqual([
      ...["system", "user", "user", "assistant", "tool", "tool"],
    ]);
    for (const request of requests) expect(systemTexts(request).join()).toContain("<durable_context_data>");
  });

  it("DF-D21 outlives the messages that told it: the same is not delegated twice", async () => {
    const answer: Answer = (request) => {
      const isSummary = request.messages.length === 1;
      if (isSummary) return says("The files were counted.");
      const isDone = blockOf(request)?.includes("[completed] about a") ?? false;
      const hasResult = request.messages.some(({ role }) => role === "tool");
      return isDone || hasResult ? says("There are 48.") : calls(task("a"));
    };
    const over = { summarization: { enabled: true, trigger_messages: 4, keep_messages: 1 } };
    const { requests, delegated } = await lead(answer, { over, turns: ["Count", "And again", "Count once more"] });

    const last = requests.at(-1);
    expect(last?.messages.some(({ role }) => role === "tool")).toBe(false);
    expect(JSON.stringify(last?.messages)).toContain("The files were counted.");
    expect(systemTexts(last!)).toHaveLength(1);
    expect(delegated).toHaveLength(1);
  });

  it("FC-A19 is told apart from what was dropped, and only in the next call", async () => {
    const six = ["1", "2", "3", "4", "5", "6"].map((id) => task(id, `Part ${id}`));
    const more = ["7", "8", "9"].map((id) => task(id, `Part ${id}`));
    const context = { max_concurrent_subagents: 3, max_total_subagents: 5 };
    const { requests, delegated, outcomes } = await lead(inOrder(calls(...six), calls(...more), says("Finished.")), {
      context,
    });

    expect(blockOf(requests[1])).toContain(
      "3 task calls of your last answer were dropped and never ran: too many at once",
    );
    expect(blockOf(requests[2])).toContain(
      "1 task call of your last answer was dropped and never ran: this run may start",
    );
    expect(delegated.map(({ envelope }) => envelope.tool_call_id)).toEqual(["1", "2", "3", "7", "8"]);
    expect(requests[2]?.messages.filter(({ role }) => role === "tool")).toHaveLength(5);
    expect(outcomes).toMatchObject([{ status: "success" }]);
  });

  it("DF-D22 is closed when an earlier run was stopped before its result", async () => {
    const { requests } = await lead((_request, index) => (index === 0 ? calls(task("a")) : says("Hm.")), {
      turns: ["Go on", "What now?"],
      answerTask: () => {
        throw new Error("never answered");
      },
    });

    expect(blockOf(requests.at(-1))).toMatch(/\[(failed|cancelled)\] about a .*may retry/);
  });
});

describe("a lead that delegates the same again and again", () => {
  it("FC-A35 is answered with what it has after two times, and nothing is started", async () => {
    const { delegated, requests, outcomes } = await lead((_request, index) =>
      index < 4 ? calls(task(`c${index}`, index === 1 ? "Count  the files" : "Count the files")) : says("Enough."),
    );

    expect(delegated.map(({ envelope }) => envelope.tool_call_id)).toEqual(["c0", "c1"]);
    const results = requests.at(-1)?.messages.filter(({ role }) => role === "tool");
    expect(results?.[2]?.content).toMatch(/^Task failed\. Error: Repeated task: .*c0: completed, done; c1: completed/);
    expect(outcomes).toMatchObject([{ status: "success" }]);
  });
});

describe("a lead that answers nothing", () => {
  const failing = { name: "ls", args: { description: "look", path: "/nowhere" } };

  it("FC-A11 is asked once more", async () => {
    const { outcomes, requests } = await lead(inOrder(calls(failing), says(""), says("There is no such folder.")));

    expect(requests).toHaveLength(3);
    expect(outcomes).toMatchObject([{ status: "success", output: { last_message: "There is no such folder." } }]);
  });

  it("FC-A11 fails with its reason when it answers nothing again", async () => {
    const { outcomes } = await lead(inOrder(calls(failing), says(""), says(" ")));

    expect(outcomes).toMatchObject([{ status: "error", stop_reason: "model_error" }]);
    expect(outcomes[0]?.error?.message).toBe("The model gave an empty answer twice");
  });
});
