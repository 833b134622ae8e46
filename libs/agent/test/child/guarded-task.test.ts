import { describe, expect, it } from "vitest";

import {
  calls,
  inOrder,
  type ModelAnswer,
  type ModelRequest,
  says,
  startModelServer,
} from "../../../../test/harness/model-server.ts";
import { createModels, executeTask } from "../../src/index.ts";
import { aConfig, aLease, aRecorder, aTask, openWorkspaces, type TaskChoices } from "../support/executions.ts";

type Answer = (request: ModelRequest, index: number) => ModelAnswer | Promise<ModelAnswer>;

async function execute(answer: Answer, choices: TaskChoices = {}, lease = aLease()) {
  await using server = await startModelServer(answer);
  const config = aConfig(server.baseUrl);
  await using opened = await openWorkspaces(config);
  const recorder = aRecorder();
  const deps = { config, models: createModels(config, {}), ...opened, ...recorder.sinks };
  const outcome = await executeTask(deps, aTask(choices), lease);
  return { outcome, recorder, requests: server.requests };
}

const look = (text = ""): ModelAnswer => ({
  ...calls({ name: "ls", args: { description: "look", path: "/mnt/user-data/outputs" } }),
  ...(text !== "" && { content: text }),
});
const budget = (max_tokens: number): TaskChoices => ({
  subagent: { token_budget: { max_tokens, warn_tokens: Math.floor(max_tokens * 0.7) } },
});
const named = (request: ModelRequest | undefined, name: string) =>
  (request?.messages ?? []).filter((message) => (message as { name?: string }).name === name);

describe("a subagent that repeats itself", () => {
  it("DF-X14 DF-T33 is warned before its next call, then made to answer with what it has", async () => {
    const { outcome, requests } = await execute((_request, index) => look(`Step ${index + 1}.`));

    expect(requests).toHaveLength(5);
    expect(requests.map((request) => named(request, "loop_warning").length)).toEqual([0, 0, 0, 1, 0]);
    expect(requests.at(-1)?.messages.filter(({ role }) => role === "system")).toHaveLength(1);
    expect(outcome).toMatchObject({ status: "completed", stop_reason: "loop_capped" });
    expect(outcome.result).toMatch(/^Step 5\.\n\n\[FORCED STOP\] the same tool calls came 5 times/);
  });
});

describe("a subagent that uses its tokens up", () => {
  it("DF-X14 is warned before, then made to answer with what it has", async () => {
    const answer: Answer = (_request, index) => calls({ name: "ls", args: { description: "look", path: `/${index}` } });
    const { outcome, requests } = await execute(answer, budget(60));

    expect(requests).toHaveLength(4);
    expect(requests.map((request) => named(request, "budget_warning").length)).toEqual([0, 0, 0, 1]);
    expect(outcome).toMatchObject({ status: "completed", stop_reason: "token_capped" });
    expect(outcome.result).toBe("[TOKEN BUDGET EXCEEDED] 60 of 60 tokens were used.");
  });

  it("has not been stopped when it comes to its answer all the same", async () => {
    const { outcome } = await execute(inOrder(look(), says("Done")), budget(30));

    expect(outcome).toMatchObject({ status: "completed", stop_reason: "completed", result: "Done" });
  });
});

describe("a subagent whose turns are used up", () => {
  it("DF-X12 fails when it has said nothing", async () => {
    const { outcome } = await execute(() => look(), { maxTurns: 2 });

    expect(outcome).toMatchObject({ status: "failed", stop_reason: "turn_capped", error: "Reached max_turns=2" });
  });

  it("FC-A13 FC-A14 keeps what it has said, after exactly as many calls as its type allows", async () => {
    const { outcome, requests } = await execute((_request, index) => look(index === 1 ? "2 of 5" : ""), {
      maxTurns: 3,
    });

    expect(requests).toHaveLength(3);
    expect(outcome).toMatchObject({ status: "completed", stop_reason: "turn_capped", result: "2 of 5" });
  });
});

describe("a subagent whose model fails for good", () => {
  const failing: ModelAnswer = { error: { message: "quota is used up", type: "insufficient_quota" }, status: 400 };

  it("DF-X2 fails with what the provider said, which is a step too", async () => {
    const { outcome, recorder } = await execute(inOrder(look("Half of it."), failing));

    expect(outcome).toMatchObject({ status: "failed", stop_reason: "model_error", partial_result: "Half of it." });
    expect(outcome.error).toContain("quota is used up");
    expect(recorder.events.at(-1)?.data["text"]).toContain("quota is used up");
  });
});

describe("an answer that the provider cut", () => {
  const cut = (finishReason: string): ModelAnswer => ({ ...look("I was about to"), finishReason });

  it.each([
    ["length", "model_length_capped", "[OUTPUT LIMIT]"],
    ["content_filter", "safety_capped", "[SAFETY STOP]"],
  ])("by %s runs none of its calls and says so", async (finish, reason, note) => {
    const { outcome, recorder, requests } = await execute(inOrder(cut(finish), says("never asked")));

    expect(requests).toHaveLength(1);
    expect(outcome).toMatchObject({ status: "completed", stop_reason: reason });
    expect(outcome.result).toContain(note);
    expect(recorder.events.map(({ data }) => data["kind"])).toEqual(["ai"]);
  });
});

describe("a subagent whose command would do harm", () => {
  const bash = (command: string) => calls({ name: "bash", args: { description: "run", command } });
  const told = async (command: string) => {
    const { requests } = await execute(inOrder(bash(command), says("Done")));
    return requests[1]?.messages.at(-1)?.content;
  };

  it("F17: is told that it was blocked, and nothing runs", async () => {
    expect(await told("echo before; rm -rf /")).toBe(
      "Command blocked: it removes the root, the home or a system directory. Nothing was run; find another way.",
    );
  });

  it("F17: is warned where it is merely risky", async () => {
    expect(await told("touch f && chmod 777 f && echo done")).toBe("done\n[Warning: it lets everybody write]");
  });
});

describe("a subagent whose time is over", () => {
  it("FC-A28 leaves what it said and the files that it wrote", async () => {
    const lease = aLease();
    const path = "/mnt/user-data/outputs/draft.md";
    const write = calls({ name: "write_file", args: { description: "draft", path, content: "half" } });
    const { outcome } = await execute(
      (_request, index) => {
        if (index > 0) lease.abort("deadline_exceeded");
        return { ...write, content: "The draft is begun." };
      },
      {},
      lease,
    );

    expect(outcome).toMatchObject({ status: "timed_out", result: null });
    expect(outcome.partial_result).toBe(`The draft is begun.\n\nFiles written:\n- ${path}`);
  });
});
