import { randomBytes } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Binary, BSON, type Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { newId } from "@antler/platform";

import { type Frame, type GatewayClient, gatewayClient, type RunIds } from "../harness/gateway-client.ts";
import { calls, type ModelAnswer, type ModelRequest, says } from "../harness/model-server.ts";
import { isLead } from "../harness/scripted-survey.ts";
import { type ServiceStack, startServiceStack } from "../harness/service-stack.ts";

const PARTS = [1, 2, 3] as const;
const WORDS = PARTS.map(() => `canary${randomBytes(12).toString("hex")}`);
const pathOf = (part: number) => `/mnt/user-data/workspace/part-${part}.txt`;
const agents = join(tmpdir(), `antler-agents-${newId()}`);

let stack: ServiceStack;
let client: GatewayClient;
let ids: RunIds;

/** A lead that delegates once for each part that its user names; a subagent reads its file and answers without it. */
function answer(request: ModelRequest): ModelAnswer {
  const results = request.messages.filter(({ role }) => role === "tool").length;
  const asked = JSON.stringify(request.messages.filter(({ role }) => role === "user"));
  const parts = PARTS.filter((part) => asked.includes(`part-${part}`));
  if (!isLead(request))
    return results === 0
      ? calls({ name: "read_file", args: { description: "read it", path: pathOf(parts[0] ?? 0) } })
      : says("I have read it.");
  return results === 0 ? calls(...parts.map(taskCall)) : says("All is read.");
}

function taskCall(part: number) {
  const args = { description: `part ${part}`, prompt: `Read part-${part}.`, subagent_type: "general-purpose" };
  return { name: "task", args, id: `call_${newId()}` };
}

async function startRun(content: string, options: object = {}): Promise<RunIds> {
  const { thread_id: threadId } = (await client.post("/threads")).body as { thread_id: string };
  const workspace = join(stack.workspacesDir, "default", threadId, "workspace");
  await mkdir(workspace, { recursive: true });
  await Promise.all(PARTS.map((part) => writeFile(join(workspace, `part-${part}.txt`), WORDS[part - 1] ?? "")));
  const input = { messages: [{ role: "user", content }] };
  const { body } = await client.post(`/threads/${threadId}/runs`, { assistant_id: "lead", input, ...options });
  return { threadId, runId: (body as { run_id: string }).run_id };
}

/** All that a document holds as one text, the serialized values of checkpoints included. */
function textOf(document: Document): string {
  const unpacked = (value: unknown): unknown => {
    if (value instanceof Binary) return Buffer.from(value.buffer).toString("utf8");
    if (Array.isArray(value)) return value.map(unpacked);
    if (value === null || typeof value !== "object" || Object.getPrototypeOf(value) !== Object.prototype) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, unpacked(inner)]));
  };
  return BSON.EJSON.stringify(unpacked(document));
}

async function checkpointsOf(runId: string): Promise<number> {
  const mongo = await MongoClient.connect(stack.database.url, { directConnection: true });
  const count = await mongo.db(stack.database.name).collection("checkpoints").countDocuments({ run_id: runId });
  await mongo.close();
  return count;
}

/** Every document of the database in which the word stands, with its collection. */
async function documentsWith(word: string): Promise<{ readonly collection: string; readonly document: Document }[]> {
  const mongo = await MongoClient.connect(stack.database.url, { directConnection: true });
  const database = mongo.db(stack.database.name);
  const found: { collection: string; document: Document }[] = [];
  for (const { name } of await database.listCollections().toArray())
    for (const document of await database.collection(name).find().toArray())
      if (textOf(document).includes(word)) found.push({ collection: name, document });
  await mongo.close();
  return found;
}

beforeAll(async () => {
  const environment = {
    NODE_OPTIONS: `--import ${new URL("../harness/count-agents.mjs", import.meta.url).href}`,
    COUNT_AGENTS: agents,
  };
  stack = await startServiceStack({ answer, environment });
  client = gatewayClient(stack.url);
});
afterAll(async () => {
  await stack.stop();
  await rm(agents, { force: true });
});

describe("what three subagents read at the same time", () => {
  beforeAll(async () => {
    ids = await startRun("Have part-1, part-2 and part-3 read.");
    await client.join(ids);
  });

  it("is in no request of the lead", () => {
    const requests = JSON.stringify(stack.model.requests.filter(isLead));

    expect(WORDS.filter((word) => requests.includes(word))).toEqual([]);
  });

  it("is in no sibling's request", () => {
    const children = stack.model.requests
      .filter((request) => !isLead(request))
      .map((request) => JSON.stringify(request));
    const seen = children.map((text) => WORDS.filter((word) => text.includes(word)));

    expect(
      seen
        .filter((words) => words.length > 0)
        .flat()
        .sort(),
    ).toEqual([...WORDS].sort());
  });

  it("is in the steps of its own task and in no other document, checkpoints included", async () => {
    const tasks = await client.get<{ task_id: string; description: string }[]>(`/runs/${ids.runId}/tasks`);
    expect(tasks.map(({ description }) => description).sort()).toEqual(["part 1", "part 2", "part 3"]);
    for (const part of PARTS) {
      const own = tasks.find(({ description }) => description === `part ${part}`)?.task_id;
      const found = await documentsWith(WORDS[part - 1] ?? "");

      expect(found.map(({ document }) => [document["type"] as string, document["task_id"] as string])).toEqual([
        ["subagent.step", own],
      ]);
    }
  });

  it("FC-A07 FC-A08 leaves the lead one ToolMessage for each call, and its other slots as they were", async () => {
    const { values } = await client.get<{ values: Record<string, unknown> }>(`/threads/${ids.threadId}/state`);
    const messages = values["messages"] as { type: string; content: unknown }[];

    expect(messages.map(({ type }) => type)).toEqual(["human", "ai", "tool", "tool", "tool", "ai"]);
    expect(messages[0]?.content).toBe("Have part-1, part-2 and part-3 read.");
    expect(values["promoted"] ?? null).toBeNull();
    expect(values["artifacts"] ?? []).toEqual([]);
  });
});

it("keeps of an earlier turn only the checkpoint that the thread went on from", async () => {
  const first = await startRun("Have part-1 read.");
  await client.join(first);
  const whole = await checkpointsOf(first.runId);
  const input = { messages: [{ role: "user", content: "What did it say?" }] };
  const { body } = await client.post(`/threads/${first.threadId}/runs`, { assistant_id: "lead", input });
  const second = { threadId: first.threadId, runId: (body as { run_id: string }).run_id };
  await client.join(second);

  await expect.poll(() => checkpointsOf(first.runId)).toBe(1);
  expect(whole).toBeGreaterThan(1);
  expect(await checkpointsOf(second.runId)).toBeGreaterThan(1);
  const { values } = await client.get<{ values: { messages: object[] } }>(`/threads/${first.threadId}/state`);
  expect(values.messages).toHaveLength(6);
});

it("DF-X33 gives the stream of the run no frame of a subagent's own graph, only its task events", async () => {
  const modes = ["values", "updates", "messages", "custom"];
  const run = await startRun("Have part-1 and part-2 read.", { stream_mode: modes, stream_subgraphs: true });
  const frames: Frame[] = [];
  for await (const frame of client.stream(run)) frames.push(frame);

  const withWords = frames.filter(({ data }) => WORDS.some((word) => JSON.stringify(data).includes(word)));
  expect(withWords.map(({ event, data }) => [event, (data as { type: string }).type])).toEqual([
    ["custom", "task_running"],
    ["custom", "task_running"],
  ]);
  expect(frames.filter(({ event }) => event.includes("|"))).toEqual([]);
});

it("makes two agents for a run with one task: one in the lead's process, one in the subagent's", async () => {
  await rm(agents, { force: true });
  const run = await startRun("Have part-1 read.");
  await client.join(run);
  const { pid: lead } = await client.get<{ pid: number }>(`/runs/${run.runId}`);
  const [task] = await client.get<{ pid: number }[]>(`/runs/${run.runId}/tasks`);
  const made = (await readFile(agents, "utf8")).trim().split("\n");

  expect(made.map((line) => JSON.parse(line) as unknown)).toEqual([
    { pid: lead, hasCheckpointer: true },
    { pid: task?.pid, hasCheckpointer: false },
  ]);
});
