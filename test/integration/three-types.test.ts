import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { durablesOf, ticketSubject } from "@antler/contracts";

import { type Frame, gatewayClient } from "../harness/gateway-client.ts";
import { calls, type ModelAnswer, type ModelRequest, says, systemTexts, toolNames } from "../harness/model-server.ts";
import { isLead } from "../harness/scripted-survey.ts";
import { type ServiceStack, startServiceStack } from "../harness/service-stack.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../harness/temporary-directory.ts";

const STDIO_SERVER = fileURLToPath(new URL("../../libs/agent/test/mcp/servers/stdio-server.ts", import.meta.url));

const SKILL = `---
name: sums
description: How sums are made here
allowed-tools: [near__add, read_file]
---
Add with the tool near__add and never in your head.
`;

const TYPES = ["general-purpose", "bash", "accountant"];

/** What each subagent does: its tool calls in order, then its answer. */
const WORK: Record<string, { readonly calls: readonly object[]; readonly says: string }> = {
  "general-purpose": {
    calls: [
      { name: "write_file", args: { description: "note", path: "/mnt/user-data/outputs/note.txt", content: "1\n" } },
    ],
    says: "The note is written.",
  },
  bash: { calls: [{ name: "bash", args: { description: "count", command: "echo $((6 * 7))" } }], says: "It is 42." },
  accountant: { calls: [{ name: "near__add", args: { a: 20, b: 22 } }], says: "The sum is 42." },
};

function answer(request: ModelRequest): ModelAnswer {
  const results = request.messages.filter(({ role }) => role === "tool").length;
  if (isLead(request)) return results === 0 ? calls(...TYPES.map(taskCall)) : says("All three are done.");
  const type = typeOf(request);
  const work = WORK[type];
  const next = work?.calls[results];
  return next === undefined ? says(work?.says ?? "") : calls(next as { name: string; args: unknown });
}

function taskCall(type: string) {
  const args = { description: `for ${type}`, prompt: `Do the part of ${type}.`, subagent_type: type };
  return { name: "task", args, id: `call_${type}` };
}

function typeOf(request: ModelRequest): string {
  const asked = JSON.stringify(request.messages.filter(({ role }) => role === "user"));
  return TYPES.find((type) => asked.includes(`Do the part of ${type}.`)) ?? "";
}

let stack: ServiceStack;
let directory: TemporaryDirectory;
let frames: Frame[];
let runId: string;
const requestsOf = (type: string) =>
  stack.model.requests.filter((request) => !isLead(request) && typeOf(request) === type);

beforeAll(async () => {
  directory = await temporaryDirectory();
  const skill = join(directory.path, "shared", "sums");
  await mkdir(skill, { recursive: true });
  await writeFile(join(skill, "SKILL.md"), SKILL);
  stack = await startServiceStack({
    answer,
    document: (url: string) => ({
      models: ["scripted", "careful"].map((name) => ({ name, provider: "openai", model: `${name}-1`, base_url: url })),
      skills: { dir: directory.path },
      tools: { mcp: { servers: { near: { transport: "stdio", command: process.execPath, args: [STDIO_SERVER] } } } },
      pools: { accounts: { concurrency: { interactive: 2, batch: 2 } } },
      subagents: {
        agents: { "general-purpose": { skills: [] }, bash: { skills: [] } },
        custom_agents: {
          accountant: {
            ...{ description: "Adds numbers", system_prompt: "You are an accountant.", model: "careful" },
            ...{ skills: ["sums"], pool: "accounts" },
          },
        },
      },
    }),
  });
  const client = gatewayClient(stack.url);
  const ids = await client.startRun({ stream_mode: ["custom", "values"] });
  frames = [];
  runId = ids.runId;
  for await (const frame of client.stream(ids)) frames.push(frame);
});
afterAll(async () => {
  await stack.stop();
  await directory[Symbol.asyncDispose]();
});

describe("a lead that delegates to three types at once over an HTTP stream", () => {
  const custom = (type: string) =>
    frames.flatMap(({ data }) => {
      const frame = data as { type?: string; task_id?: string };
      return frame.type === type ? [frame] : [];
    });

  it("has each of them carried out, and its client sees each begin, work and end", () => {
    const ids = TYPES.map((type) => `call_${type}`).sort();

    for (const type of ["task_started", "task_completed"])
      expect(
        custom(type)
          .map(({ task_id }) => task_id)
          .sort(),
      ).toEqual(ids);
    expect(custom("task_running")).toHaveLength(9);
    expect(
      custom("task_completed")
        .map((frame) => (frame as { result?: string }).result)
        .sort(),
    ).toEqual(
      Object.values(WORK)
        .map((work) => work.says)
        .sort(),
    );
    expect(frames.at(-1)?.event).toBe("end");
  });

  it("gives the custom type its own model, its skill in its one system message, and the tools of the skill", () => {
    const [first, second] = requestsOf("accountant");

    expect(first?.model).toBe("careful-1");
    expect(systemTexts(first!)).toHaveLength(1);
    expect(systemTexts(first!)[0]).toMatch(
      /You are an accountant\..*Add with the tool near__add and never in your head/s,
    );
    expect(toolNames(first!).sort()).toEqual(["near__add", "read_file"]);
    expect(second?.messages.at(-1)?.content).toBe("42");
  });

  it("gives the others the lead's model, and neither the skill nor the lead's own tools", () => {
    for (const type of ["general-purpose", "bash"]) {
      const [first] = requestsOf(type);
      expect(first?.model).toBe("scripted-1");
      expect(JSON.stringify(first)).not.toContain("never in your head");
      expect(toolNames(first!)).not.toContain("task");
    }
    expect(toolNames(requestsOf("bash")[0]!)).not.toContain("near__add");
  });

  it("FC-A12 sends one system message, at the head, with every request", () => {
    for (const { messages } of stack.model.requests)
      expect(messages.flatMap(({ role }, index) => (role === "system" ? [index] : []))).toEqual([0]);
  });

  it("shows each schema in the tools of a request and nowhere else", () => {
    for (const { messages } of stack.model.requests) expect(JSON.stringify(messages)).not.toContain('"properties"');
  });

  it("FC-A06 counts the tokens of all, by caller, and none again when a task is delivered twice", async () => {
    const { store, bus } = stack.deps;
    const tasks = await store.tasks.listByRun(runId);
    const durables = durablesOf(stack.deps.config.pools, 15_000);
    for (const task of tasks) {
      const ticket = { kind: "task", id: task._id, run_id: runId, version: 1, dispatch: 9, round: 0 } as const;
      const place = await bus.publishTicket(ticketSubject(task.pool, task.lane), ticket, task.trace);
      const durable = durables.find(({ pool, lane }) => pool === task.pool && lane === task.lane);
      await expect.poll(() => bus.inspectTicket(durable!, place), { timeout: 20_000 }).toBe("settled");
    }
    const usage = await store.usage.byCaller(runId);

    expect(
      usage.map(({ caller, calls, input_tokens, output_tokens }) => [caller, calls, input_tokens, output_tokens]),
    ).toEqual([
      ["lead", 2, 20, 10],
      ["subagent:accountant", 2, 20, 10],
      ["subagent:bash", 2, 20, 10],
      ["subagent:general-purpose", 2, 20, 10],
    ]);
    expect(await store.usage.totals({ runId })).toMatchObject({
      input_tokens: 80,
      output_tokens: 40,
      total_tokens: 120,
    });
    expect(await store.tasks.listByRun(runId)).toEqual(tasks);
  });

  it("tells the lead all three results", () => {
    const results = stack.model.requests
      .filter(isLead)
      .at(-1)
      ?.messages.filter(({ role }) => role === "tool");

    expect(results?.map(({ content }) => content)).toEqual(
      TYPES.map((type) => `Task Succeeded. Result: ${WORK[type]?.says ?? ""}`),
    );
  });
});
