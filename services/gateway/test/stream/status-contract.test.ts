import { expect, it } from "vitest";

import { taskFrameOf } from "@antler/contracts";

import contract from "../../../../test/harness/subagent-status-contract.json" with { type: "json" };

it.each(Object.entries(contract.events))("DF-S17 the end %s reaches clients as %s", (status, type) => {
  const ids = { task_id: "t", tool_call_id: "c", round: 0, attempt: 1, epoch: 1 };
  const data = { ...ids, status, stop_reason: null, model_name: "m", usage: null };

  expect(taskFrameOf({ type: "subagent.end", data })).toMatchObject({ type, task_id: "c" });
});
