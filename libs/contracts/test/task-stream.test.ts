import { describe, expect, it } from "vitest";

import { categoryOf, eventKeys, RunEventType, taskFrameOf } from "../src/index.ts";
import { readGolden } from "./golden-file.ts";

const start = readGolden("subagent-start.v1").value;
const step = readGolden("subagent-step.v1").value;
const end = readGolden("subagent-end.v1").value;

describe("task frames", () => {
  it("give task_started by the provider's call id (F2)", () => {
    expect(taskFrameOf({ type: "subagent.start", data: start })).toEqual({
      type: "task_started",
      task_id: "call_1",
      description: "Count files",
      model_name: "m",
    });
  });

  it("give task_running with the message and its place (F2)", () => {
    expect(taskFrameOf({ type: "subagent.step", data: step })).toEqual({
      type: "task_running",
      task_id: "call_1",
      message: {
        type: "ai",
        content: "I count.",
        id: "m1",
        tool_calls: [{ id: "c1", name: "bash", args: { command: "ls" } }],
      },
      message_index: 1,
      total_messages: 1,
      usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
      model_name: "m",
    });
  });

  it("give task_running of a tool message with the call that it answers", () => {
    const data = { ...step, kind: "tool", tool_calls: undefined, tool_name: "bash", result_call_id: "c1", usage: null };

    expect(taskFrameOf({ type: "subagent.step", data })).toMatchObject({
      message: { type: "tool", content: "I count.", name: "bash", tool_call_id: "c1" },
      usage: null,
    });
  });

  it.each([
    ["completed", "task_completed"],
    ["failed", "task_failed"],
    ["cancelled", "task_cancelled"],
    ["timed_out", "task_timed_out"],
  ])("give the end %s as %s (DF-E14)", (status, type) => {
    expect(taskFrameOf({ type: "subagent.end", data: { ...end, status } })).toMatchObject({ type, task_id: "call_1" });
  });

  it("have usage null and no result where none is known (DF-T6)", () => {
    const frame = taskFrameOf({ type: "subagent.end", data: { ...end, status: "failed", result: undefined } });

    expect(frame).toEqual({ type: "task_failed", task_id: "call_1", usage: null, model_name: "m" });
  });

  it("are none for events that are not a subagent's (DF-E15)", () => {
    const others = RunEventType.options.filter((type) => !type.startsWith("subagent."));

    expect(others.map((type) => taskFrameOf({ type, data: {} }))).toEqual(others.map(() => null));
  });

  it.each([true, -1, 0, "1"])("refuse the message index %s (DF-E12)", (index) => {
    expect(taskFrameOf({ type: "subagent.step", data: { ...step, message_index: index } })).toBeNull();
  });

  it("refuse a description that is not text (DF-E11)", () => {
    expect(taskFrameOf({ type: "subagent.start", data: { ...start, description: 5 } })).toBeNull();
  });
});

describe("run events", () => {
  it.each([
    ["run.start", "run"],
    ["llm.ai.response", "message"],
    ["stream.updates", "stream"],
    ["subagent.step", "subagent"],
    ["tool.refused", "audit"],
  ] as const)("of type %s are of category %s (DF-E21)", (type, category) => {
    expect(categoryOf(type)).toBe(category);
  });

  it("have keys that tell rounds, claims and steps apart", () => {
    expect([
      eventKeys.taskStart("t", 0, 1),
      eventKeys.taskStep("t", 0, 1, 2),
      eventKeys.taskStep("t", 1, 1, 2),
      eventKeys.taskStep("t", 0, 2, 2),
      eventKeys.taskEnd("t"),
      eventKeys.lead(1, 2),
      eventKeys.runEnd,
    ]).toEqual(["t:0.1:start", "t:0.1:step:2", "t:1.1:step:2", "t:0.2:step:2", "t:end", "lead:1:2", "run:end"]);
  });
});
