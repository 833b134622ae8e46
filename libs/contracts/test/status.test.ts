import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  isRunTerminal,
  isTaskTerminal,
  RUN_TERMINAL_STATUSES,
  RUN_TRANSITIONS,
  RunStatus,
  runStatusesBefore,
  TASK_TERMINAL_STATUSES,
  TASK_TRANSITIONS,
  TaskStatus,
  taskStatusesBefore,
} from "../src/index.ts";

const runStatus = fc.constantFrom(...RunStatus.options);
const taskStatus = fc.constantFrom(...TaskStatus.options);

describe("run statuses", () => {
  it("let nothing follow a terminal status", () => {
    expect(RunStatus.options.filter(isRunTerminal)).toEqual(RUN_TERMINAL_STATUSES);
    expect(RUN_TERMINAL_STATUSES.flatMap((status) => RUN_TRANSITIONS[status])).toEqual([]);
  });

  it("have a predecessor exactly where the table says so", () => {
    fc.assert(
      fc.property(runStatus, runStatus, (from, to) => {
        expect(runStatusesBefore(to).includes(from)).toBe(RUN_TRANSITIONS[from].includes(to));
      }),
    );
  });

  it("reach a terminal status from every other one", () => {
    for (const status of RunStatus.options.filter((candidate) => !isRunTerminal(candidate))) {
      expect(RUN_TRANSITIONS[status].some(isRunTerminal), status).toBe(true);
    }
  });

  it("let only a running run succeed", () => {
    expect(runStatusesBefore("success")).toEqual(["running"]);
  });
});

describe("task statuses", () => {
  it("let nothing follow a terminal status", () => {
    expect(TaskStatus.options.filter(isTaskTerminal)).toEqual(TASK_TERMINAL_STATUSES);
    expect(TASK_TERMINAL_STATUSES.flatMap((status) => TASK_TRANSITIONS[status])).toEqual([]);
  });

  it("have a predecessor exactly where the table says so", () => {
    fc.assert(
      fc.property(taskStatus, taskStatus, (from, to) => {
        expect(taskStatusesBefore(to).includes(from)).toBe(TASK_TRANSITIONS[from].includes(to));
      }),
    );
  });

  it("can be cancelled from every status that is not terminal", () => {
    expect(taskStatusesBefore("cancelled")).toEqual(["held", "pending", "running", "checking"]);
  });

  it("start a new round only from checking, and hand back only from running", () => {
    expect(taskStatusesBefore("pending")).toEqual(["held", "running", "checking"]);
  });
});
