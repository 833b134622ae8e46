import { expect, it } from "vitest";

import { isTaskTerminal, TASK_TERMINAL_STATUSES } from "@antler/contracts";

import contract from "../../../test/harness/subagent-status-contract.json" with { type: "json" };

it("DF-S17 a runner ends its tasks with statuses of the contract, and a lead alone gives up", () => {
  expect([...TASK_TERMINAL_STATUSES, "polling_timed_out"].toSorted()).toEqual(contract.statuses.toSorted());
  expect(TASK_TERMINAL_STATUSES.every(isTaskTerminal)).toBe(true);
});
