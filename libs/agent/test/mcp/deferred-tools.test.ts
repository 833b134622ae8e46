import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  calls,
  inOrder,
  type ModelRequest,
  says,
  startModelServer,
  systemTexts,
  toolNames,
} from "../../../../test/harness/model-server.ts";
import { aRun, aSaver, aTask } from "../support/executions.ts";
import { anOutcome, recordingDelegate } from "../support/lead-runs.ts";
import { refusals, runChild, runLead, toolConfig, toolTexts } from "./agent-runs.ts";
import { type HttpTestServer, startHttpServer } from "./servers/http-server.ts";

let http: HttpTestServer;
beforeAll(async () => {
  http = await startHttpServer();
});
afterAll(() => http.stop());

const far = () => ({ far: { transport: "http", url: http.url } });
const search = (query: string, id = "s1") => ({ name: "tool_search", args: { query }, id });
const add = (id = "a1") => ({ name: "far__add", args: { a: 20, b: 22 }, id });

/** Everything of a request but its list of tools. */
const besideTools = (request: ModelRequest) => JSON.stringify({ ...request, tools: [] });

describe("MCP tools while search is on", () => {
  it("DF-U15 are names in the lead's prompt, and tools of the request once they were selected", async () => {
    await using server = await startModelServer(inOrder(calls(search("select:far__add")), calls(add()), says("42")));

    const { outcome, events } = await runLead(toolConfig(server, { servers: far(), search: true }));

    expect(outcome.status).toBe("success");
    const [first, second, third] = server.requests;
    expect(systemTexts(first!)[0]).toMatch(
      /<available-deferred-tools>.*far__add.*far__count.*<\/available-deferred-tools>/,
    );
    expect(toolNames(first!).filter((name) => name.startsWith("far__"))).toEqual([]);
    expect(toolNames(first!).at(-1)).toBe("tool_search");
    expect(toolNames(second!).filter((name) => name.startsWith("far__"))).toEqual(["far__add"]);
    expect(toolTexts(third)).toEqual([expect.stringMatching(/^Loaded; .*\n- far__add: Add two numbers$/), "42"]);
    for (const request of server.requests) expect(besideTools(request)).not.toContain("properties");
    expect(refusals(events)).toEqual([]);
    expect(events.filter(({ type }) => type === "llm.tool.result")).toHaveLength(2);
  });

  it("DF-U15 are found by a subagent in the same way, and its search is a step like any other", async () => {
    await using server = await startModelServer(inOrder(calls(search("+add numbers")), calls(add()), says("42")));

    const { outcome, events } = await runChild(
      toolConfig(server, { servers: far(), search: true }),
      aTask({ tools: ["ls", "far__add", "far__count"] }),
    );

    expect(outcome).toMatchObject({ status: "completed", result: "42" });
    expect(server.requests.map(toolNames)).toEqual([
      ["ls", "tool_search"],
      ["ls", "far__add", "tool_search"],
      ["ls", "far__add", "tool_search"],
    ]);
    expect(systemTexts(server.requests[0]!)).toHaveLength(1);
    expect(events.map(({ data }) => data["tool_name"] ?? data["kind"])).toEqual([
      "ai",
      "tool_search",
      "ai",
      "far__add",
      "ai",
    ]);
  });

  it("DF-U16 that policy denies are in no catalog, no section and no answer of the search", async () => {
    const subagents = {
      custom_agents: {
        clerk: { description: "d", system_prompt: "You are a clerk.", disallowed_tools: ["task", " far__add "] },
      },
    };
    await using server = await startModelServer(
      inOrder(calls(search("select:far__add", "s1"), search("add numbers", "s2"), search("+far", "s3")), says("No")),
    );
    const config = toolConfig(server, { servers: far(), search: true, subagents });
    const { delegate, requests } = recordingDelegate(() => anOutcome());
    const task = { name: "task", args: { description: "d", prompt: "p", subagent_type: "clerk" } };
    await using leadModel = await startModelServer(inOrder(calls(task), says("ok")));
    await runLead(toolConfig(leadModel, { servers: far(), search: true, subagents }), { delegate });
    const { tools } = requests[0]!.envelope;

    const { outcome } = await runChild(config, aTask({ type: "clerk", tools, systemPrompt: "You are a clerk." }));

    expect(outcome.status).toBe("completed");
    expect(tools).toContain("far__count");
    expect(tools).not.toContain("far__add");
    const texts = toolTexts(server.requests[1]);
    expect([systemTexts(server.requests[0]!)[0], ...texts].join("\n")).not.toContain("far__add");
    expect(texts[0]).toMatch(/^No tool matches/);
    expect(toolNames(server.requests[1]!)).not.toContain("far__add");
  });

  it("DF-U18 FC-A22 do not run before they are promoted, also beside the search that finds them", async () => {
    await using server = await startModelServer(
      inOrder(
        calls(search("select:far__count"), { name: "far__count", args: {}, id: "n1" }),
        calls({ name: "far__count", args: {}, id: "n2" }),
        says("done"),
      ),
    );

    const { events } = await runChild(
      toolConfig(server, { servers: far(), search: true }),
      aTask({ tools: ["far__count"] }),
    );

    expect(toolTexts(server.requests[2])).toEqual([
      expect.stringContaining("Loaded"),
      `Error: Tool 'far__count' is not loaded yet. Call tool_search with "select:far__count" first, then call it.`,
      "1",
    ]);
    expect(refusals(events).map(({ data }) => data)).toEqual([
      { tool_name: "far__count", tool_call_id: "n1", reason: "not_promoted", caller: "subagent:general-purpose" },
    ]);
  });

  it("stay promoted in the next run of the thread, until the catalog is another one", async () => {
    const saver = aSaver();
    const first = aRun();
    const next = () => aRun({ thread_id: first.thread_id });
    await using server = await startModelServer(
      inOrder(calls(search("select:far__add")), says("1"), says("2"), says("3")),
    );
    const searching = { servers: far(), search: true };

    await runLead(toolConfig(server, searching), { run: first, saver });
    await runLead(toolConfig(server, searching), { run: next(), saver });
    const other = { servers: { ...far(), near: { transport: "http", url: http.url } }, search: true };
    await runLead(toolConfig(server, other), { run: next(), saver });

    const shown = server.requests.map((request) => toolNames(request).filter((name) => name.includes("__")));
    expect(shown).toEqual([[], ["far__add"], ["far__add"], []]);
  });

  it("are promoted for the lead alone: a subagent on its thread begins with none", async () => {
    await using model = await startModelServer(() => says("done"));
    const searching = { servers: far(), search: true };
    const task = { name: "task", args: { description: "d", prompt: "p", subagent_type: "general-purpose" } };
    await using server = await startModelServer(inOrder(calls(search("select:far__add")), calls(task), says("ok")));
    const { delegate, requests } = recordingDelegate(() => anOutcome());
    await runLead(toolConfig(server, searching), { delegate });

    await runChild(toolConfig(model, searching), aTask({ tools: requests[0]!.envelope.tools }));

    expect(JSON.stringify(requests[0]!.envelope)).not.toContain("promoted");
    expect(toolNames(model.requests[0]!).filter((name) => name.includes("__"))).toEqual([]);
  });
});

describe("MCP tools while search is off", () => {
  it("DF-U17 all stand in the request, and no section names any", async () => {
    await using server = await startModelServer(inOrder(calls(add()), says("42")));

    await runLead(toolConfig(server, { servers: far() }));

    expect(toolNames(server.requests[0]!)).toEqual(expect.arrayContaining(["far__add", "far__count"]));
    expect(toolNames(server.requests[0]!)).not.toContain("tool_search");
    expect(systemTexts(server.requests[0]!)[0]).not.toContain("deferred");
    expect(toolTexts(server.requests[1])).toEqual(["42"]);
  });

  it("of a server that is down cost no run: the model is told which server", async () => {
    await using server = await startModelServer(inOrder(calls(add()), says("42")));
    const servers = { ...far(), gone: { transport: "http", url: "http://127.0.0.1:1/mcp" } };

    const { outcome } = await runLead(toolConfig(server, { servers }));

    expect(outcome.status).toBe("success");
    expect(systemTexts(server.requests[0]!)[0]).toMatch(/<unavailable-tool-servers>.*: gone\. /);
    expect(toolTexts(server.requests[1])).toEqual(["42"]);
  });

  it("DF-T7 DF-T8 follow the lead's groups", async () => {
    await using server = await startModelServer(() => says("done"));
    const servers = { ...far(), own: { transport: "http", url: http.url, group: "own" } };
    const withGroups = (context: Record<string, unknown>) =>
      runLead(toolConfig(server, { servers }), { run: aRun({ context }) });

    await withGroups({ tool_groups: ["file:read"] });
    await withGroups({ tool_groups: ["own"] });
    await withGroups({});

    const prefixes = server.requests.map((request) => [
      ...new Set(toolNames(request).flatMap((name) => (name.includes("__") ? [name.split("__")[0]] : []))),
    ]);
    expect(prefixes).toEqual([[], ["own"], ["far", "own"]]);
  });
});
