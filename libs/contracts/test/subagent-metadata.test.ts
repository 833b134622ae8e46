import { describe, expect, it } from "vitest";

import { readSubagentMetadata } from "../src/index.ts";

describe("reading the metadata of a delegation", () => {
  it.each([
    ["an unknown status", { subagent_status: "weird" }],
    ["no status", {}],
    ["no metadata", null],
    ["something else", "completed"],
  ])("DF-S9 knows nothing from %s", (_name, metadata) => {
    expect(readSubagentMetadata(metadata)).toBeNull();
  });

  it("DF-S11 takes an old turn cap with a brief for completed", () => {
    expect(readSubagentMetadata({ subagent_status: "max_turns_reached", subagent_result_brief: "half" })).toEqual({
      subagent_status: "completed",
      subagent_stop_reason: "turn_capped",
      subagent_result_brief: "half",
    });
  });

  it("DF-S12 takes an old turn cap without a brief for failed", () => {
    expect(readSubagentMetadata({ subagent_status: "max_turns_reached" })).toEqual({
      subagent_status: "failed",
      subagent_stop_reason: "turn_capped",
    });
  });

  it("goes by a stop reason that is there before one that it would infer", () => {
    const metadata = { subagent_status: "max_turns_reached", subagent_stop_reason: "token_capped" };

    expect(readSubagentMetadata(metadata)).toMatchObject({ subagent_stop_reason: "token_capped" });
  });

  it.each([
    ["subagent_result_sha256", "not hexadecimal"],
    ["subagent_stop_reason", "tired"],
    ["subagent_token_usage", { input_tokens: -1 }],
    ["subagent_result_brief", 7],
  ])("leaves out a %s that is not valid", (key, value) => {
    expect(readSubagentMetadata({ subagent_status: "failed", [key]: value })).toEqual({ subagent_status: "failed" });
  });
});
