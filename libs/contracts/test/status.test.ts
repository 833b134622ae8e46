import { describe, expect, it } from "vitest";

import {
  isRunTerminal,
  isTaskTerminal,
  RUN_TERMINAL_STATUSES,
  RUN_TRANSITIONS,
  RunStatus,
  TASK_TERMINAL_STATUSES,
  TASK_TRANSITIONS,
  TaskStatus,
} from "../src/index.ts";

function before<Status extends string>(table: Readonly<Record<Status, readonly Status[]>>, to: Status): string[] {
  return Object.entries<readonly Status[]>(table).flatMap(([from, next]) => (next.includes(to) ? [from] : []));
}

describe("run statuses", () => {
  it("let nothing follow a terminal status", () => {
    expect(RunStatus.options.filter(isRunTerminal)).toEqual(RUN_TERMINAL_STATUSES);
    expect(RUN_TERMINAL_STATUSES.flatMap((status) => RUN_TRANSITIONS[status])).toEqual([]);
  });

  it("reach a terminal status from every other one", () => {
    for (const status of RunStatus.options.filter((candidate) => !isRunTerminal(candidate))) {
      expect(RUN_TRANSITIONS[status].some(isRunTerminal), status).toBe(true);
    }
  });

  it("let only a running run succeed", () => {
    expect(before(RUN_TRANSITIONS, "success")).toEqual(["running"]);
  });
});

describe("task statuses", () => {
  it("let nothing follow a terminal status", () => {
    expect(TaskStatus.options.filter(isTaskTerminal)).toEqual(TASK_TERMINAL_STATUSES);
    expect(TASK_TERMINAL_STATUSES.flatMap((status) => TASK_TRANSITIONS[status])).toEqual([]);
  });

  it("can be cancelled from every status that is not terminal", () => {
    expect(before(TASK_TRANSITIONS, "cancelled")).toEqual(["held", "pending", "running", "checking"]);
  });

  it("start a new round only from checking, and hand back only from running", () => {
    expect(before(TASK_TRANSITIONS, "pending")).toEqual(["held", "running", "checking"]);
  });
});
