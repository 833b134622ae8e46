import { describe, expect, it } from "vitest";

import type { RunView, TaskView } from "@antler/contracts";

import { emptyLine, lineOf, surveyPaths } from "../../src/demo/demo-line.ts";
import { finalAnswerOf } from "../../src/demo/final-answer.ts";

const run = { run_id: "r", thread_id: "t", status: "success", pid: 7, trace_id: "f".repeat(32) } as RunView;
const task = {
  task_id: "k",
  subagent_type: "bash",
  status: "completed",
  attempts: 1,
  runner_id: "host-9-ab12",
  pid: 9,
  started_at: "2026-01-01T00:00:00.000Z",
  ended_at: "2026-01-01T00:00:01.500Z",
  steps: 4,
  usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
} as TaskView;

describe("the line for programs", () => {
  it("has exactly the documented fields", () => {
    expect(lineOf(run, [task], { model: "replayed", ...surveyPaths("/repo", "t") })).toEqual({
      run_id: "r",
      thread_id: "t",
      status: "success",
      model: "replayed",
      tasks: [
        {
          task_id: "k",
          subagent_type: "bash",
          status: "completed",
          attempts: 1,
          runner_id: "host-9-ab12",
          pid: 9,
          started_at: "2026-01-01T00:00:00.000Z",
          finished_at: "2026-01-01T00:00:01.500Z",
          duration_ms: 1500,
          steps: 4,
          total_tokens: 15,
        },
      ],
      lead_pid: 7,
      counts_path: "/repo/.antler/workspaces/default/t/outputs/counts.json",
      report_path: "/repo/.antler/workspaces/default/t/outputs/report.md",
      trace_id: "f".repeat(32),
    });
  });

  it("has the same fields when nothing is known", () => {
    const known = lineOf(run, [], { model: "m", ...surveyPaths("/repo", "t") });

    expect(Object.keys(emptyLine("m")).toSorted()).toEqual(Object.keys(known).toSorted());
  });

  it("has no duration for a task that did not end", () => {
    const unended = { ...task, ended_at: null, usage: null };

    expect(lineOf(run, [unended], { model: "m", ...surveyPaths("/r", "t") }).tasks).toMatchObject([
      { finished_at: null, duration_ms: null, total_tokens: 0 },
    ]);
  });
});

describe("the answer of a run", () => {
  it.each([
    [
      {
        messages: [
          { type: "human", content: "q" },
          { type: "ai", content: "a" },
        ],
      },
      "a",
    ],
    [
      {
        messages: [
          {
            type: "ai",
            content: [
              { type: "text", text: "a" },
              { type: "text", text: "b" },
            ],
          },
        ],
      },
      "ab",
    ],
    [
      {
        messages: [
          { type: "ai", content: "a" },
          { type: "tool", content: "t" },
        ],
      },
      "a",
    ],
    [{ messages: [] }, ""],
    [null, ""],
  ])("in %j is %j", (values, answer) => {
    expect(finalAnswerOf(values)).toBe(answer);
  });
});
