import { createHash } from "node:crypto";

import { ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";

import { parseConfig } from "@antler/contracts";

import { calls, says, startModelServer } from "../../../../test/harness/model-server.ts";
import { createOutputStore, type OutputStoreOptions } from "../../src/middleware/output-store.ts";
import { createToolOutputBudget } from "../../src/middleware/tool-output-budget.ts";
import { aConfig, aRun, openWorkspaces } from "../support/executions.ts";
import { anOutcome, recordingDelegate, startLead } from "../support/lead-runs.ts";

type Wrap = (request: object, handler: () => Promise<unknown>) => Promise<ToolMessage>;

function budgetOver(sandbox: OutputStoreOptions["sandbox"]): { wrapToolCall: Wrap } {
  const outputs = createOutputStore({ sandbox, newId: () => "n1", signal: new AbortController().signal });
  return createToolOutputBudget(parseConfig({}, {}).tool_output, outputs) as unknown as { wrapToolCall: Wrap };
}

function shown(content: string, given: { tool?: string; fails?: boolean } = {}) {
  const { tool = "bash", fails = false } = given;
  const written = new Map<string, string>();
  const sandbox = {
    writeFile: async (path: string, text: string, { append = false } = {}) => {
      if (fails) throw new Error("disk full");
      written.set(path, append ? `${written.get(path) ?? ""}${text}` : text);
    },
  };
  const { wrapToolCall } = budgetOver(sandbox);
  const message = new ToolMessage({ id: "m", tool_call_id: "c", name: tool, content });
  return { message, written, result: wrapToolCall({ toolCall: { name: tool } }, async () => message) };
}

const long = `${"a".repeat(6000)}${"b".repeat(7000)}`;

describe("a tool's output", () => {
  it("F16: stands whole in the conversation up to 12,000 characters", async () => {
    const { message, result } = shown("x".repeat(12_000));

    expect(await result).toBe(message);
  });

  it("F16: is stored when it is longer, and shown by beginning and end with the way to all of it", async () => {
    const { result, written } = shown(long);
    const path = "/mnt/user-data/outputs/.tool-results/bash-n1.txt";
    const message = await result;

    expect([...written]).toEqual([[path, long]]);
    expect(message.text).toMatch(/^a{2000}\n\.\.\. \[10000 of 13000 characters left out; all of it is in /);
    expect(message.text).toMatch(/bash-n1\.txt: use read_file\] \.\.\.\nb{1000}$/);
    expect(message).toMatchObject({ id: "m", tool_call_id: "c", name: "bash" });
    expect(message.additional_kwargs["antler_output"]).toEqual({
      ...{ path, chars: 13_000, sha256: createHash("sha256").update(long).digest("hex") },
    });
  });

  it("F16: is stored in parts when one write cannot hold it, with no character broken", async () => {
    const text = `${"a".repeat(19_999)}😀${"b".repeat(50_000)}`;
    const { result, written } = shown(text);
    await result;

    expect([...written.values()]).toEqual([text]);
  });

  it("keeps what it carries for programs when it is shown in part", async () => {
    const message = new ToolMessage({ tool_call_id: "c", name: "bash", content: long, artifact: { found: ["a"] } });
    const { wrapToolCall } = budgetOver({ writeFile: async () => undefined });

    expect(await wrapToolCall({ toolCall: { name: "bash" } }, async () => message)).toMatchObject({
      artifact: { found: ["a"] },
    });
  });

  it("F16: stays whole when it cannot be stored, up to 30,000 characters, and is cut beyond", async () => {
    const { message, result } = shown(long, { fails: true });
    const cut = await shown("x".repeat(30_001), { fails: true }).result;

    expect(await result).toBe(message);
    expect(cut.text).toMatch(/^x{8000}\n\.\.\. \[19001 of 30001 characters left out\] \.\.\.\nx{3000}$/);
  });

  it("F16: is never stored when it was read from a file", async () => {
    const { message, result, written } = shown(long, { tool: "read_file" });

    expect(await result).toBe(message);
    expect(written.size).toBe(0);
  });

  it("FC-A25 is cut between characters", async () => {
    const { result } = shown(`${"a".repeat(1999)}😀${"b".repeat(20_000)}😀${"c".repeat(999)}`);

    expect((await result).text.isWellFormed()).toBe(true);
  });
});

describe("FC-A27 twenty subagents that each give back 20 kB", () => {
  it("do not overflow their lead, and nothing of what they gave is lost", async () => {
    const report = (id: string) => `${id}:${"r".repeat(20_000)}`;
    const ids = Array.from({ length: 20 }, (_, index) => `c${index}`);
    const tasks = ids.map((id) => ({
      ...{ name: "task", id, args: { description: id, prompt: id, subagent_type: "general-purpose" } },
    }));
    const path = (text: string) => /in (\S+): use read_file/.exec(text)?.[1] ?? "";
    let read = "";
    await using server = await startModelServer(({ messages }, index) => {
      if (index === 0) return calls(...tasks);
      if (index === 2) return says("All is read.");
      const results = messages.filter(({ role }) => role === "tool").map(({ content }) => JSON.stringify(content));
      read = path(results[7] ?? "");
      return calls({ name: "read_file", args: { description: "all", path: read }, id: "r1" });
    });
    const pools = { general: { concurrency: { interactive: 20, batch: 2 } } };
    const config = aConfig(server.baseUrl, { pools });
    await using opened = await openWorkspaces(config);
    const { delegate } = recordingDelegate(({ envelope }) => anOutcome({ result: report(envelope.tool_call_id) }));
    const context = { max_concurrent_subagents: 20, max_total_subagents: 20 };
    const { outcome } = startLead({ config, ...opened, delegate, run: aRun({ context }) });

    expect(await outcome).toMatchObject({ status: "success" });
    expect(JSON.stringify(server.requests[1]).length).toBeLessThan(100_000);
    expect(server.requests[2]?.messages.at(-1)?.content).toContain(report("c7"));
  });
});
