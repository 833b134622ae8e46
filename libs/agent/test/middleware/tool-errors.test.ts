import { ToolMessage } from "@langchain/core/messages";
import { Command } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";

import { AntlerError } from "@antler/contracts";

import { createToolErrors } from "../../src/middleware/tool-errors.ts";

type Wrap = (request: object, handler: () => Promise<unknown>) => Promise<unknown>;

function toolResult(handler: () => Promise<unknown>, name = "ls"): Promise<unknown> {
  const { wrapToolCall } = createToolErrors(new AbortController().signal) as unknown as { wrapToolCall: Wrap };
  return wrapToolCall({ toolCall: { id: "c", name, args: {} }, runtime: {} }, handler);
}

/** As a tool does that does not throw errors only. */
async function rejected(thrown: unknown): Promise<never> {
  await Promise.resolve();
  throw thrown;
}

class QuotaError extends Error {}

describe("what a tool throws", () => {
  it.each([
    ["an error", new QuotaError("bad"), "QuotaError: bad"],
    ["a text", "broken", "Error: broken"],
    ["an object without a message", { code: 7 }, "Error: "],
  ])("DF-U8 FC-C05 is a text for the model: %s", async (_name, thrown, text) => {
    const result = (await toolResult(() => rejected(thrown))) as ToolMessage;

    expect(result).toMatchObject({ status: "error", tool_call_id: "c" });
    expect(result.text).toContain(`Error: Tool 'ls' failed with ${text}`);
    expect(result.text).toMatch(/Continue with available context, or choose an alternative tool\.$/);
    expect(Object.keys(result.additional_kwargs)).toEqual([]);
  });

  it("DF-U7 is a failed task when the tool was task", async () => {
    const result = (await toolResult(() => Promise.reject(new RangeError("bad")), "task")) as ToolMessage;

    expect(result.additional_kwargs).toEqual({ subagent_status: "failed", subagent_error: "RangeError: bad" });
  });

  it("is bounded", async () => {
    const result = (await toolResult(() => Promise.reject(new Error("x".repeat(9000))))) as ToolMessage;

    expect(result.text.length).toBeLessThan(700);
  });

  it.each(["lease_lost", "drained", "cancelled", "store_unavailable"] as const)(
    "is thrown on when it is %s",
    async (code) => {
      await expect(toolResult(() => Promise.reject(new AntlerError(code, "x")))).rejects.toMatchObject({ code });
    },
  );
});

describe("what a tool gives back", () => {
  it("DF-U9 is not stamped as a task because of its text", async () => {
    const message = new ToolMessage({ tool_call_id: "c", content: "Task Succeeded. Result: x" });

    expect(await toolResult(async () => message, "task")).toBe(message);
    expect(message.additional_kwargs).toEqual({});
  });

  it("DF-U10 passes untouched when it is a command", async () => {
    const command = new Command({ update: { title: "x" } });

    expect(await toolResult(async () => command)).toBe(command);
  });
});
