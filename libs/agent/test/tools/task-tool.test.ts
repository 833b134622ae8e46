import { describe, expect, it } from "vitest";

import { AntlerError, type TaskFrame } from "@antler/contracts";

import { createTaskTool, type TaskCall } from "../../src/tools/task-tool.ts";
import { anOutcome } from "../support/lead-runs.ts";

const args = { description: "Count", prompt: "Count the files", subagent_type: "bash" };

function invoke(
  delegate: (call: TaskCall) => Promise<ReturnType<typeof anOutcome>>,
  signal = new AbortController().signal,
) {
  const frames: unknown[] = [];
  const tool = createTaskTool({ typeLines: ["- bash: commands"], isParallel: true, delegate, signal });
  const config: object = { writer: (frame: unknown) => void frames.push(frame) };
  return { frames, result: tool.invoke({ name: "task", args, id: "c1", type: "tool_call" }, config) };
}

describe("createTaskTool", () => {
  it("DF-T3 hands each frame to the lead's stream writer", async () => {
    const sent: TaskFrame[] = [
      { type: "task_started", task_id: "c1", description: "Count", model_name: "main" },
      { type: "task_completed", task_id: "c1", result: "48", usage: null, model_name: "main" },
    ];
    const { frames, result } = invoke(async ({ onFrame }) => {
      sent.forEach(onFrame);
      return anOutcome();
    });
    await result;

    expect(frames).toEqual(sent);
  });

  it("passes the call on with its id", async () => {
    const seen: TaskCall[] = [];
    await invoke(async (call) => {
      seen.push(call);
      return anOutcome();
    }).result;

    expect(seen).toMatchObject([{ ...args, callId: "c1" }]);
  });

  it("DF-T20 stops waiting when the run is aborted", async () => {
    const controller = new AbortController();
    const { result } = invoke(({ signal }) => {
      controller.abort(new AntlerError("drained", "Drained"));
      return Promise.reject(signal.reason as Error);
    }, controller.signal);

    await expect(result).rejects.toMatchObject({ code: "drained" });
  });

  it("asks for description, prompt and type in this order, and for nothing else", () => {
    const { schema } = createTaskTool({
      typeLines: [],
      isParallel: false,
      delegate: async () => anOutcome(),
      signal: new AbortController().signal,
    });

    expect(Object.keys(schema.shape)).toEqual(["description", "prompt", "subagent_type"]);
  });
});

describe("what the model reads of the task tool", () => {
  const told = (isParallel: boolean) =>
    createTaskTool({
      ...{ typeLines: ["- bash: commands"], isParallel, signal: new AbortController().signal },
      delegate: async () => anOutcome(),
    }).description;

  it("F1: names what speaks for a delegation, what does not, and the types", () => {
    expect(told(true)).toMatch(/only when the benefit outweighs the overhead/);
    expect(told(true)).toMatch(/complex, has many steps or concerns a large repository is no reason/);
    expect(told(true)).toMatch(/dependent steps.*same files.*side effects.*needs the user/s);
    expect(told(true)).toMatch(/Types:\n- bash: commands$/);
  });

  it("DF-U13 says nothing of parallel work when one call at a time is allowed", () => {
    expect(told(true)).toMatch(/parallel/);
    expect(told(false)).not.toMatch(/parallel/);
  });
});
