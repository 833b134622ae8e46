import { describe, expect, it } from "vitest";

import type { StreamMode } from "@antler/contracts";

import { framesOf, metadataFrame } from "../../src/stream/project-event.ts";
import { anEvent, subagentEnd, subagentStart } from "./events.ts";

const view = (modes: readonly StreamMode[], subgraphs = false) => ({ modes: new Set(modes), subgraphs });

const graphEvent = (type: "stream.values" | "stream.updates" | "stream.custom", namespace: string[] = []) =>
  anEvent(type, { mode: type.slice(7), namespace, payload: { a: 1 } }, { seq: 4 });

describe("framesOf", () => {
  it.each([
    ["stream.values", "values"],
    ["stream.updates", "updates"],
    ["stream.custom", "custom"],
  ] as const)("sends %s on mode %s with its number", (type, mode) => {
    expect(framesOf(graphEvent(type), view([mode]))).toEqual([{ event: mode, data: { a: 1 }, id: 4 }]);
  });

  it("sends nothing of a mode that was not asked for", () => {
    expect(framesOf(graphEvent("stream.updates"), view(["values", "custom"]))).toEqual([]);
  });

  it("names frames of nested graphs, and only for who asked for them", () => {
    const event = graphEvent("stream.values", ["tools:1", "agent:2"]);

    expect(framesOf(event, view(["values"], true))[0]?.event).toBe("values|tools:1|agent:2");
    expect(framesOf(event, view(["values"]))).toEqual([]);
  });

  it("projects stored subagent events as task frames of mode custom", () => {
    expect(framesOf(subagentStart(3), view(["custom"]))).toEqual([
      {
        event: "custom",
        data: { type: "task_started", task_id: "call-1", description: "look around", model_name: "m" },
        id: 3,
      },
    ]);
    expect(framesOf(subagentEnd(5), view(["custom"]))[0]?.data).toMatchObject({
      type: "task_completed",
      result: "done",
    });
    expect(framesOf(subagentStart(3), view(["values"]))).toEqual([]);
  });

  it("ends with status and stop reason", () => {
    const event = anEvent("run.end", { status: "success", stop_reason: "completed", error: null }, { seq: 9 });

    expect(framesOf(event, view(["values"]))).toEqual([
      { event: "end", data: { status: "success", stop_reason: "completed" }, id: 9 },
    ]);
  });

  it("tells why a run failed right before the end", () => {
    const error = { code: "model_failed", message: "no quota" };
    const event = anEvent("run.end", { status: "error", stop_reason: "model_error", error }, { seq: 9 });

    expect(framesOf(event, view(["values"]))).toEqual([
      { event: "error", data: { error: "model_failed", ...error } },
      { event: "end", data: { status: "error", stop_reason: "model_error" }, id: 9 },
    ]);
  });

  it("announces a later attempt, not the first", () => {
    const first = anEvent("run.start", { attempt: 1 });
    const second = anEvent("run.start", { attempt: 2 }, { seq: 6 });

    expect(framesOf(first, view(["values"]))).toEqual([]);
    expect(framesOf(second, view(["values"]))).toEqual([
      { event: "metadata", data: { run_id: "run-1", thread_id: "thread-1", attempt: 2 }, id: 6 },
    ]);
  });
});

it("begins with the run, the thread and the attempt, without a number", () => {
  expect(metadataFrame({ run_id: "r", thread_id: "t", attempt: 1 })).toEqual({
    event: "metadata",
    data: { run_id: "r", thread_id: "t", attempt: 1 },
  });
});
