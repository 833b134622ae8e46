import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type GatewayClient, gatewayClient } from "../harness/gateway-client.ts";
import { calls, type ModelAnswer, type ModelRequest, says, toolNames } from "../harness/model-server.ts";
import { isLead } from "../harness/scripted-survey.ts";
import { type ServiceProcess, startService } from "../harness/service-process.ts";
import { type ServiceStack, startServiceStack } from "../harness/service-stack.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../harness/temporary-directory.ts";

const STDIO_SERVER = fileURLToPath(new URL("../../libs/agent/test/mcp/servers/stdio-server.ts", import.meta.url));

/** Who gives no name may do everything; the one who executes subagents may publish no tickets. */
const BUS_USERS = `
no_auth_user: antler
authorization {
  users = [
    { user: antler, password: antler }
    { user: runner, password: runner, permissions: { publish: { deny: ["runs.>", "tasks.>", "checks.>"] } } }
  ]
}
`;

const task = { name: "task", args: { description: "add", prompt: "Add.", subagent_type: "general-purpose" }, id: "c1" };

/** The lead delegates; its subagent tries to do the same, then looks for a tool of the MCP server and calls it. */
function answer(request: ModelRequest): ModelAnswer {
  const results = request.messages.filter(({ role }) => role === "tool").length;
  if (isLead(request)) return results === 0 ? calls(task) : says("Done.");
  const turns = [
    calls({ ...task, id: "forged" }),
    calls({ name: "tool_search", args: { query: "select:near__add" }, id: "found" }),
    calls({ name: "near__add", args: { a: 20, b: 22 }, id: "added" }),
  ];
  return turns[results] ?? says(`It is ${JSON.stringify(request.messages.at(-1)?.content)}.`);
}

let stack: ServiceStack;
let client: GatewayClient;
let runner: ServiceProcess;
let directory: TemporaryDirectory;

beforeAll(async () => {
  directory = await temporaryDirectory();
  const path = join(directory.path, "bus.conf");
  await writeFile(path, BUS_USERS);
  const near = { transport: "stdio", command: process.execPath, args: [STDIO_SERVER] };
  stack = await startServiceStack({
    answer,
    nats: { args: ["-c", path] },
    services: { "subagent-runner": 0 },
    document: { tools: { tool_search: { enabled: true }, mcp: { servers: { near } } } },
  });
  const restricted = new URL(stack.environment["NATS_URL"] ?? "");
  restricted.username = "runner";
  restricted.password = "runner";
  runner = await startService("subagent-runner", { ...stack.environment, NATS_URL: restricted.href });
  client = gatewayClient(stack.url);
});
afterAll(async () => {
  runner.kill("SIGKILL");
  await stack.stop();
  await directory[Symbol.asyncDispose]();
});

describe("FC-A20 a runner of subagents that may publish no ticket", () => {
  it("executes tasks; the subagent's own delegation is refused, and its tools are found and run", async () => {
    const ids = await client.startRun();
    await client.join(ids);

    expect(await client.get(`/runs/${ids.runId}/tasks`)).toMatchObject([
      { status: "completed", steps: 7, tool_call_id: "c1" },
    ]);
    const told = stack.model.requests.filter(isLead).at(-1)?.messages.at(-1)?.content;
    expect(told).toBe('Task Succeeded. Result: It is "42".');
    const events = await client.get<unknown[]>(`/runs/${ids.runId}/events?event_types=tool.refused`);
    expect(events).toMatchObject([
      { category: "audit", data: { tool_name: "task", tool_call_id: "forged", caller: "subagent:general-purpose" } },
    ]);
    const own = stack.model.requests.filter((request) => !isLead(request)).map((request) => toolNames(request).at(-1));
    expect(own).toEqual(["tool_search", "tool_search", "tool_search", "tool_search"]);
  });

  it.each(["tasks.general.interactive", "tasks.bash.batch", "runs.interactive", "checks.batch"])(
    "is refused by the server when it publishes to %s",
    async (subject) => {
      const connection = await connect({ servers: stack.environment["NATS_URL"]!, user: "runner", pass: "runner" });
      const manager = await jetstreamManager(connection);
      const stream = await manager.streams.find(subject);
      const before = (await manager.streams.info(stream)).state.last_seq;

      await expect(jetstream(connection).publish(subject, "{}")).rejects.toThrow(
        `Permissions Violation for Publish to "${subject}"`,
      );
      expect((await manager.streams.info(stream)).state.last_seq).toBe(before);
      await connection.close();
    },
  );

  it("drains with its MCP servers closed", async () => {
    runner.kill("SIGTERM");

    expect(await runner.exited).toBe(0);
  });
});
