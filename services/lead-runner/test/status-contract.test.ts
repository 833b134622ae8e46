import { expect, it } from "vitest";

import { outcomeMetadata, SubagentStatus } from "@antler/contracts";

import contract from "../../../test/harness/subagent-status-contract.json" with { type: "json" };

it.each(SubagentStatus.options)(
  "DF-S17 what a lead is told of %s has only keys and statuses of the contract",
  (status) => {
    const facts = {
      result: "R",
      error: "E",
      stopReason: "turn_capped",
      modelName: "m",
      resultSha256: "a".repeat(64),
    } as const;
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    const metadata = outcomeMetadata({ status, usage, ...facts });

    expect(contract.statuses).toContain(metadata.subagent_status);
    expect(Object.keys(metadata).filter((key) => !contract.metadata_keys.includes(key))).toEqual([]);
  },
);
