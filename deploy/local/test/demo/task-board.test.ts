import { describe, expect, it } from "vitest";

import type { TaskView } from "@antler/contracts";

import { createProgressDisplay } from "../../src/demo/view/progress-display.ts";
import { createTaskBoard } from "../../src/demo/view/task-board.ts";

const usage = { usage: null, model_name: "m" };
const started = { type: "task_started", task_id: "c1", description: "Count", model_name: "m" } as const;

function running(index: number) {
  return {
    type: "task_running",
    task_id: "c1",
    message: {},
    message_index: index,
    total_messages: index,
    ...usage,
  } as const;
}

function task(fields: Partial<TaskView>): TaskView {
  return {
    tool_call_id: "c1",
    subagent_type: "bash",
    description: "Count",
    status: "pending",
    steps: 0,
    ...fields,
  } as TaskView;
}

function capture(isTTY: boolean) {
  const written: string[] = [];
  return { written, display: createProgressDisplay({ write: (text) => written.push(text), isTTY, columns: 60 }) };
}

describe("the task board", () => {
  it("follows a task from the ledger and the frames to its end", () => {
    const board = createTaskBoard();
    board.applyLedger([task({})]);
    board.applyFrame(started, 1000);
    board.applyFrame(running(2), 1500);
    board.applyLedger([task({ status: "running" })]);
    board.applyFrame({ type: "task_completed", task_id: "c1", result: "48", ...usage }, 3000);

    expect(board.rows()).toEqual([
      {
        callId: "c1",
        type: "bash",
        description: "Count",
        state: "completed",
        steps: 2,
        startedAtMs: 1000,
        endedAtMs: 3000,
      },
    ]);
  });

  it("never goes back from an end that an older reading of the ledger does not know", () => {
    const board = createTaskBoard();
    board.applyFrame({ type: "task_failed", task_id: "c1", error: "e", ...usage }, 1);
    board.applyLedger([task({ status: "running" })]);

    expect(board.rows()[0]).toMatchObject({ state: "failed", type: "bash" });
  });

  it("never takes a running task for a pending one", () => {
    const board = createTaskBoard();
    board.applyFrame(started, 1);
    board.applyLedger([task({ status: "pending" })]);

    expect(board.rows()[0]).toMatchObject({ state: "running" });
  });

  it("counts the steps of a new attempt from nothing", () => {
    const board = createTaskBoard();
    board.applyFrame(started, 1000);
    board.applyFrame(running(5), 1100);
    board.applyFrame(started, 2000);

    expect(board.rows()[0]).toMatchObject({ steps: 0, startedAtMs: 2000, state: "running" });
  });
});

describe("the progress display", () => {
  const row = {
    callId: "c1",
    type: "bash",
    description: "Count",
    state: "running",
    startedAtMs: 0,
    endedAtMs: undefined,
  };

  it("adds a line only when a task has changed, where the output is no terminal", () => {
    const { written, display } = capture(false);
    display.show([{ ...row, steps: 1 }], 1000);
    display.show([{ ...row, steps: 1 }], 2000);
    display.show([{ ...row, steps: 2 }], 3000);

    expect(written).toEqual([
      expect.stringMatching(/bash +Count +running +1\.0 s {2}1 step\n/),
      expect.stringMatching(/3\.0 s {2}2 steps\n/),
    ]);
  });

  it("draws over its own lines on a terminal, never wider than it", () => {
    const { written, display } = capture(true);
    display.show([{ ...row, description: "Count ".repeat(30), steps: 1 }], 1000);
    display.show([{ ...row, steps: 1 }], 2000);

    expect(written[0]).toHaveLength(60);
    expect(written[1]?.startsWith("\u001B[1A\u001B[J  bash")).toBe(true);
  });
});
