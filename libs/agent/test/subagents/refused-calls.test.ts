import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { calls, inOrder, says, startModelServer, toolNames } from "../../../../test/harness/model-server.ts";
import { refusals, runChild, runLead, toolConfig, toolTexts } from "../mcp/agent-runs.ts";
import { type HttpTestServer, startHttpServer } from "../mcp/servers/http-server.ts";
import { aConfig, aLease, aRecorder, aRun, aSaver, aTask, openWorkspaces } from "../support/executions.ts";
import { anOutcome, recordingDelegate, startLead } from "../support/lead-runs.ts";

let http: HttpTestServer;
beforeAll(async () => {
  http = await startHttpServer();
});
afterAll(() => http.stop());

const write = (id: string) => ({ name: "write_file", args: { description: "w", path: "made.txt", content: "x" }, id });
const delegate = (type: string) => ({ name: "task", args: { description: "d", prompt: "p", subagent_type: type } });

describe("a call of a tool that an agent does not have", () => {
  it("FC-A20 is refused when a subagent delegates to itself", async () => {
    await using server = await startModelServer(
      inOrder(calls({ ...delegate("general-purpose"), id: "t1" }), says("alone")),
    );

    const { outcome, events } = await runChild(aConfig(server.baseUrl), aTask());

    expect(outcome).toMatchObject({ status: "completed", result: "alone" });
    expect(toolNames(server.requests[0]!)).not.toContain("task");
    expect(toolTexts(server.requests[1])).toEqual([
      "Error: Tool 'task' is not available: this agent cannot delegate. Do the work yourself.",
    ]);
    expect(refusals(events)).toMatchObject([{ data: { tool_name: "task", reason: "not_permitted" } }]);
  });

  it("FC-A20 is refused when a lead delegates that may not", async () => {
    await using server = await startModelServer(inOrder(calls(delegate("general-purpose")), says("alone")));
    const asked = recordingDelegate(() => anOutcome());

    const run = aRun({ context: { subagent_enabled: false } });
    const { events } = await runLead(aConfig(server.baseUrl), { run, delegate: asked.delegate });

    expect(asked.requests).toEqual([]);
    expect(refusals(events)).toMatchObject([{ data: { tool_name: "task", caller: "lead" } }]);
  });

  it.each([" ls", "LS", "ls ", "l\u0455", "ｌｓ", "ls\u200b", "functions.ls", "__proto__", "tool_search"])(
    "FC-A22 is refused in the spelling %j",
    async (name) => {
      await using server = await startModelServer(inOrder(calls({ name, args: {}, id: "x1" }), says("done")));

      const { events } = await runChild(aConfig(server.baseUrl), aTask({ tools: ["ls"] }));

      expect(toolTexts(server.requests[1])[0]).toMatch(
        /^Error: Tool '.*' is not available to this agent\. Nothing was run/,
      );
      expect(refusals(events)).toHaveLength(1);
    },
  );

  it("FC-A21 FC-A22 is refused to the subagent of a lead that may only read", async () => {
    const asked = recordingDelegate(() => anOutcome());
    await using lead = await startModelServer(inOrder(calls(delegate("general-purpose")), says("ok")));
    await runLead(aConfig(lead.baseUrl), {
      run: aRun({ context: { tool_groups: ["file:read"] } }),
      delegate: asked.delegate,
    });
    const { tools, tool_groups } = asked.requests[0]!.envelope;
    await using server = await startModelServer(inOrder(calls(write("w1")), says("no")));

    const task = aTask({ envelope: { tools, tool_groups } });
    const { events } = await runChild(aConfig(server.baseUrl), task);

    expect(toolTexts(server.requests[1])[0]).toMatch(/^Error: Tool 'write_file' is not available/);
    expect(refusals(events)).toEqual([
      {
        key: `${task._id}:refused:w1`,
        type: "tool.refused",
        task_id: task._id,
        data: {
          tool_name: "write_file",
          tool_call_id: "w1",
          reason: "not_permitted",
          caller: "subagent:general-purpose",
        },
      },
    ]);
  });

  it("FC-A21 is carried out when the resolved list has the tool, whatever rules led to it", async () => {
    await using server = await startModelServer(
      inOrder(calls({ name: "bash", args: { description: "d", command: "echo ran" } }), says("ok")),
    );

    const { events } = await runChild(aConfig(server.baseUrl), aTask({ tools: ["bash"] }));

    expect(toolTexts(server.requests[1])).toEqual(["ran"]);
    expect(refusals(events)).toEqual([]);
  });

  it("FC-A22 is refused when it stands in a checkpoint from before the tools were narrowed, once in the log", async () => {
    const lease = aLease();
    await using server = await startModelServer((_request, index) => {
      if (index > 0) return says("done");
      lease.lose();
      return calls(write("w1"));
    });
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);
    const [saver, recorder, run] = [aSaver(), aRecorder(), aRun()];
    await expect(startLead({ config, ...opened, saver, lease, run }).outcome).rejects.toMatchObject({
      code: "lease_lost",
    });

    const narrowed = { ...run, head: "a-checkpoint", context: { tool_groups: ["file:read"] } };
    const resumed = startLead({ config, ...opened, saver, recorder, run: narrowed, lease: aLease({ epoch: 2 }) });

    expect(await resumed.outcome).toMatchObject({ status: "success" });
    expect(toolTexts(server.requests[1])[0]).toMatch(/^Error: Tool 'write_file' is not available/);
    expect(refusals(recorder.events).map(({ key }) => key)).toEqual([`${run._id}:refused:w1`]);
    const sandbox = await opened.workspaces.open(run.tenant_id, run.thread_id);
    const { output } = await sandbox.run({ command: "ls -A", signal: lease.signal, timeoutMs: 5000 });
    await sandbox.release();
    expect(output).not.toContain("made.txt");
  });
});

describe("FC-A24 the tools of a subagent", () => {
  const far = () => ({ far: { transport: "http", url: http.url } });
  const envelopeFor = async (over: object) => {
    await using server = await startModelServer(inOrder(calls(delegate("mine")), says("ok")));
    const asked = recordingDelegate(() => anOutcome());
    const custom_agents = { mine: { description: "d", system_prompt: "You are a clerk.", ...over } };
    await runLead(toolConfig(server, { servers: far(), subagents: { custom_agents } }), { delegate: asked.delegate });
    return asked.requests[0]!.envelope;
  };

  it.each([
    ["a list that is left out", {}, expect.arrayContaining(["bash", "ls", "far__add", "far__count"])],
    ["an empty list", { tools: [] }, []],
    ["a list", { tools: ["ls", "far__add"] }, ["ls", "far__add"]],
    ["a list of which one is denied", { tools: ["ls", "far__add"], disallowed_tools: ["far__add"] }, ["ls"]],
    ["a list of which all are denied", { tools: ["ls"], disallowed_tools: [" ls "] }, []],
    ["a name that no one has", { tools: ["far__nothing", "other__tool"] }, []],
  ])("of %s", async (_of, over, expected) => {
    expect((await envelopeFor(over)).tools).toEqual(expected);
  });

  it("never grow after they were resolved: a late tool is there for later tasks only", async () => {
    const { tools } = await envelopeFor({});
    http.grow();
    await using server = await startModelServer(inOrder(calls({ name: "far__b", args: {}, id: "b1" }), says("no")));

    const { events } = await runChild(toolConfig(server, { servers: far() }), aTask({ tools }));

    expect(toolNames(server.requests[0]!)).toContain("far__add");
    expect(toolNames(server.requests[0]!)).not.toContain("far__b");
    expect(refusals(events)).toMatchObject([{ data: { tool_name: "far__b", reason: "not_permitted" } }]);
    expect((await envelopeFor({})).tools).toContain("far__b");
  });

  it("are refused as a whole when an envelope names a server that this runner does not have", async () => {
    await using server = await startModelServer(() => says("never"));

    const { outcome } = await runChild(toolConfig(server, { servers: far() }), aTask({ tools: ["ls", "other__add"] }));

    expect(outcome).toMatchObject({ status: "failed", stop_reason: "envelope_refused" });
    expect(outcome.error).toContain("other__add");
    expect(server.requests).toEqual([]);
  });
});
