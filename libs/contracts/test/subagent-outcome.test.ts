import { describe, expect, it } from "vitest";

import contract from "../../../test/harness/subagent-status-contract.json" with { type: "json" };
import {
  BRIEF_MAX_CHARS,
  CAP_LABELS,
  isCapReason,
  outcomeMetadata,
  outcomeText,
  StopReason,
  SubagentMetadata,
  type SubagentOutcome,
  SubagentStatus,
} from "../src/index.ts";

const sha = "a".repeat(64);

function outcome(fields: Partial<SubagentOutcome>): SubagentOutcome {
  const empty = { result: null, error: null, stopReason: null, modelName: null, usage: null, resultSha256: null };
  return { status: "completed", ...empty, ...fields };
}

describe("the text of an outcome", () => {
  it.each([
    ["F3", { result: "R" }, "Task Succeeded. Result: R"],
    ["F3", { result: null }, "Task Succeeded. Result: "],
    [
      "DF-T25",
      { result: "3 of 5", stopReason: "token_capped" },
      "Task Succeeded (capped: token budget). Result: 3 of 5",
    ],
    [
      "DF-T33",
      { result: "R", stopReason: "loop_capped" },
      "Task Succeeded (capped: repeated tool-call loop). Result: R",
    ],
    ["DF-T13", { status: "failed", error: "boom" }, "Task failed. Error: boom"],
    ["F3", { status: "failed", error: " " }, "Task failed."],
    ["DF-S16", { status: "failed", stopReason: "turn_capped" }, "Task failed (capped: turn budget)."],
    [
      "DF-S16",
      { status: "failed", error: "e", stopReason: "turn_capped" },
      "Task failed (capped: turn budget). Error: e",
    ],
    ["DF-S14", { status: "cancelled" }, "Task cancelled by user."],
    ["DF-S14", { status: "cancelled", error: "Task cancelled by user." }, "Task cancelled by user."],
    ["DF-S14", { status: "cancelled", error: "x" }, "Task cancelled by user. Error: x"],
    ["F3", { status: "timed_out" }, "Task timed out."],
    [
      "DF-T15",
      { status: "timed_out", error: "Execution timed out after 5 seconds" },
      "Task timed out. Error: Execution timed out after 5 seconds",
    ],
    ["DF-S15", { status: "polling_timed_out", error: "d" }, "d"],
    ["DF-S15", { status: "polling_timed_out" }, "Task polling timed out."],
    ["F3", { status: "completed", result: "R", stopReason: "completed" }, "Task Succeeded. Result: R"],
  ] as const)("%s: %j", (_, fields, text) => {
    expect(outcomeText(outcome(fields))).toBe(text);
  });

  it("adds the partial work of a task that did not complete", () => {
    const text = outcomeText(outcome({ status: "timed_out", error: "late", partialResult: " half \n" }));

    expect(text).toBe("Task timed out. Error: late\n\nPartial work (incomplete):\nhalf");
    expect(outcomeText(outcome({ result: "R", partialResult: "half" }))).toBe("Task Succeeded. Result: R");
  });
});

describe("the metadata of an outcome", () => {
  it("DF-S1: a completed one has brief and digest and no error", () => {
    expect(outcomeMetadata(outcome({ result: "x", resultSha256: sha, error: "left over" }))).toEqual({
      subagent_status: "completed",
      subagent_result_brief: "x",
      subagent_result_sha256: sha,
    });
  });

  it("DF-S2: a blank error is left out", () => {
    expect(outcomeMetadata(outcome({ status: "failed", error: "  " }))).toEqual({ subagent_status: "failed" });
  });

  it("DF-S3: a failed one has neither brief nor digest", () => {
    expect(outcomeMetadata(outcome({ status: "failed", result: "x", resultSha256: sha }))).toEqual({
      subagent_status: "failed",
    });
  });

  it("DF-S4: an unknown status or stop reason throws", () => {
    expect(() => outcomeMetadata(outcome({ status: "done" as "completed" }))).toThrow();
    expect(() => outcomeMetadata(outcome({ stopReason: "foo" as "completed" }))).toThrow();
  });

  it("DF-S7: long errors and results are bounded, the digest is the whole result's", () => {
    const failed = outcomeMetadata(outcome({ status: "failed", error: "e".repeat(5000) }));
    const completed = outcomeMetadata(outcome({ result: "r".repeat(50_000), resultSha256: sha }));

    expect(failed.subagent_error).toHaveLength(BRIEF_MAX_CHARS);
    expect(completed.subagent_result_brief).toHaveLength(BRIEF_MAX_CHARS);
    expect(completed.subagent_result_sha256).toBe(sha);
  });

  it("DF-S17: statuses and cap reasons are those of the contract", () => {
    expect(SubagentStatus.options).toEqual(contract.statuses);
    expect(CAP_LABELS).toEqual(contract.cap_reasons);
    expect(StopReason.options.filter(isCapReason).toSorted()).toEqual(Object.keys(contract.cap_reasons).toSorted());
    expect(Object.keys(SubagentMetadata.shape)).toEqual(contract.metadata_keys);
    for (const status of SubagentStatus.options) {
      const told = outcomeText(outcome({ status, result: "R", error: status === "completed" ? null : "E" }));
      expect(told).toBe(contract.texts[status]);
    }
  });

  it("DF-S18: survives JSON unchanged", () => {
    const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15, cache_read_tokens: 3 };
    const metadata = outcomeMetadata(
      outcome({ result: "x", resultSha256: sha, stopReason: "turn_capped", modelName: " m ", usage }),
    );

    expect(SubagentMetadata.parse(JSON.parse(JSON.stringify(metadata)))).toEqual(metadata);
    expect(metadata).toMatchObject({
      subagent_stop_reason: "turn_capped",
      subagent_model_name: "m",
      subagent_token_usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
    });
  });

  it("DF-T6: has no usage where no call reported any, and no reason that is not a cap", () => {
    expect(outcomeMetadata(outcome({ result: "x", stopReason: "completed" }))).toEqual({
      subagent_status: "completed",
      subagent_result_brief: "x",
    });
  });
});
