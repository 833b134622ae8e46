import { expect, it } from "vitest";

import { calls, inOrder, says, startModelServer } from "../../../../test/harness/model-server.ts";
import { aConfig, aRun, openWorkspaces } from "../support/executions.ts";
import { anOutcome, recordingDelegate, startLead } from "../support/lead-runs.ts";
import { savedMessages } from "../support/messages.ts";

const ls = (id: string) => ({ name: "ls", args: { path: "/mnt/user-data/workspace" }, id });

it("tells the result of each of several calls of one answer in the log, under the id that it has in the thread", async () => {
  await using server = await startModelServer(inOrder(calls(ls("a"), ls("b"), ls("c")), says("Done")));
  const config = aConfig(server.baseUrl);
  await using opened = await openWorkspaces(config);
  const { outcome, recorder } = startLead({ config, ...opened });
  await outcome;

  const told = recorder.events.filter(({ type }) => type === "llm.tool.result");
  expect(new Set(told.map(({ key }) => key)).size).toBe(3);
  expect(told.map(({ data }) => (data["message"] as { tool_call_id: string }).tool_call_id).sort()).toEqual([
    "a",
    "b",
    "c",
  ]);
});

it("FC-A18 asks the model again with every result in the order of the calls, whichever came first", async () => {
  const task = (id: string) => ({
    name: "task",
    args: { description: id, prompt: id, subagent_type: "general-purpose" },
    id,
  });
  await using server = await startModelServer(inOrder(calls(task("a"), ls("b"), task("c")), says("Done")));
  const config = aConfig(server.baseUrl);
  await using opened = await openWorkspaces(config);
  const isFirstDone = Promise.withResolvers<undefined>();
  const { delegate } = recordingDelegate(async ({ envelope }) => {
    if (envelope.tool_call_id === "a") await isFirstDone.promise;
    isFirstDone.resolve(undefined);
    return anOutcome();
  });
  await startLead({ config, ...opened, delegate }).outcome;

  const results = server.requests[1]?.messages.filter(({ role }) => role === "tool");
  expect(results?.map(({ tool_call_id: id }) => id)).toEqual(["a", "b", "c"]);
});

it("tells the result of a tool that also changes the state, under the id that it has in the thread", async () => {
  const todos = { name: "write_todos", args: { todos: [{ content: "look", status: "pending" }] }, id: "t" };
  await using server = await startModelServer(inOrder(calls(todos, ls("b")), says("Done")));
  const config = aConfig(server.baseUrl);
  await using opened = await openWorkspaces(config);
  const { outcome, recorder, saver, run } = startLead({ config, ...opened });
  await outcome;

  const told = recorder.events.filter(({ type }) => type === "llm.tool.result");
  const ids = (await savedMessages(saver, run.thread_id)).filter(({ type }) => type === "tool").map(({ id }) => id);
  expect(told.map(({ key }) => key).sort()).toEqual(ids.map((id) => `message:${id ?? ""}`).sort());
  expect(ids).toHaveLength(2);
});

it("FC-A25 asks the model and tells the log in well-formed text, whatever user, model and subagent wrote", async () => {
  const half = "half \ud83d";
  const args = { description: half, prompt: half, subagent_type: "general-purpose" };
  await using server = await startModelServer(inOrder(calls({ name: "task", args, id: "a" }), says(half)));
  const config = aConfig(server.baseUrl);
  await using opened = await openWorkspaces(config);
  const { delegate, requests } = recordingDelegate(() => anOutcome({ result: half }));
  const run = aRun({ input: { messages: [{ role: "user", content: half }] } });
  const { outcome, recorder } = startLead({ config, ...opened, delegate, run });

  expect(await outcome).toMatchObject({ status: "success", output: { last_message: "half \ufffd" } });
  expect(brokenTexts([server.requests, recorder.events, requests[0]?.envelope])).toEqual([]);
});

/** Every text in a value, of keys too, that holds half of a surrogate pair. */
function brokenTexts(value: unknown): string[] {
  if (typeof value === "string") return value.isWellFormed() ? [] : [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [...brokenTexts(key), ...brokenTexts(inner)]);
}
