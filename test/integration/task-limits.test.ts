import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type GatewayClient, gatewayClient } from "../harness/gateway-client.ts";
import { calls, type ModelAnswer, type ModelRequest, says } from "../harness/model-server.ts";
import { isLead } from "../harness/scripted-survey.ts";
import { type ServiceStack, startServiceStack } from "../harness/service-stack.ts";

let stack: ServiceStack;
let client: GatewayClient;
/** What the subagent's model waits for before it answers. */
let beforeAnswer: () => Promise<void>;

async function answer(request: ModelRequest): Promise<ModelAnswer> {
  const results = request.messages.filter(({ role }) => role === "tool").length;
  if (isLead(request)) return results === 0 ? calls(taskOf(request)) : says("Done.");
  if (JSON.stringify(request.messages).includes("Run it"))
    return results === 0
      ? calls({ name: "bash", args: { description: "run", command: "sleep 2000 & echo started" } })
      : says("It runs.");
  await beforeAnswer();
  return says("Late.");
}

/** The type that the user's message names. */
function taskOf(request: ModelRequest) {
  const asked = JSON.stringify(request.messages.filter(({ role }) => role === "user"));
  const type = asked.includes("patient") ? "patient" : "hasty";
  const prompt = asked.includes("run") ? "Run it." : "Answer.";
  return { name: "task", args: { description: "answer", prompt, subagent_type: type }, id: "call_1" };
}

const say = (content: string) => ({ input: { messages: [{ role: "user", content }] } });

beforeAll(async () => {
  const type = { description: "Answers", system_prompt: "You answer." };
  stack = await startServiceStack({
    answer,
    services: { "subagent-runner": 1 },
    document: {
      delivery: { reconcile_seconds: 0.5 },
      sandbox: { command_timeout_seconds: 1 },
      subagents: {
        custom_agents: { hasty: { ...type, timeout_seconds: 3 }, patient: { ...type, timeout_seconds: 60 } },
      },
    },
  });
  client = gatewayClient(stack.url);
});
afterAll(() => stack.stop());

const toolTexts = () =>
  stack.model.requests
    .filter(isLead)
    .at(-1)
    ?.messages.filter(({ role }) => role === "tool")
    .map(({ content }) => content);

describe("a task", () => {
  it("FC-A29 FC-A31 is bound by its own limit and not by a command's; what a command leaves running holds nobody up", async () => {
    const ids = await client.startRun(say("Have a patient one run it."));
    await client.join(ids);

    expect(await client.get(`/runs/${ids.runId}/tasks`)).toMatchObject([{ status: "completed", steps: 3 }]);
    expect(toolTexts()).toEqual(["Task Succeeded. Result: It runs."]);
  });

  it("FC-A02 that is over its limit stays timed out when its answer comes late, with one end in the log", async () => {
    const late = Promise.withResolvers<undefined>();
    beforeAnswer = () => late.promise;
    const ids = await client.startRun(say("Have a hasty one answer."));
    await client.join(ids);
    late.resolve(undefined);
    await client.join(await client.startRun(say("Have a patient one run it.")));

    expect(await client.get(`/runs/${ids.runId}/tasks`)).toMatchObject([
      { status: "timed_out", stop_reason: "execution_timeout", error: "Execution timed out after 3 seconds" },
    ]);
    const log = await stack.deps.store.events.read(ids.runId, { afterSeq: 0, limit: 100 });
    expect(log.filter(({ type }) => type === "subagent.end").map(({ data }) => data["status"])).toEqual(["timed_out"]);
  });

  it("FC-A01 whose runner froze ends at its limit, and its run goes on", async () => {
    const runner = stack.processes.find(({ name }) => name === "subagent-runner");
    beforeAnswer = async () => {
      runner?.kill("SIGSTOP");
    };
    const ids = await client.startRun(say("Have a hasty one answer."));
    await client.join(ids);
    runner?.kill("SIGCONT");

    expect(await client.get(`/runs/${ids.runId}`)).toMatchObject({ status: "success" });
    expect(await client.get(`/runs/${ids.runId}/tasks`)).toMatchObject([{ status: "timed_out" }]);
    expect(toolTexts()).toEqual(["Task timed out. Error: Execution timed out after 3 seconds"]);
  });
});
