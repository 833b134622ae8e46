import { CAP_LABELS, isCapReason, StopReason } from "./stop-reason.ts";
import { type SubagentMetadata, SubagentStatus } from "./subagent-metadata.ts";
import { boundText } from "./text-bounds.ts";
import type { TokenUsage } from "./usage.ts";

export interface SubagentOutcome {
  readonly status: SubagentStatus;
  readonly result: string | null;
  readonly partialResult?: string | null;
  readonly error: string | null;
  readonly stopReason: StopReason | null;
  readonly modelName: string | null;
  readonly usage: TokenUsage | null;
  /** SHA-256 of the whole result, 64 lower-case hexadecimal digits. */
  readonly resultSha256: string | null;
}

/** A task that was never started, or of which nothing but its failure is known. */
export function failedOutcome(error: string): SubagentOutcome {
  return { status: "failed", result: null, error, stopReason: null, modelName: null, usage: null, resultSha256: null };
}

/** The longest brief or error that travels in a message's metadata, in characters. */
export const BRIEF_MAX_CHARS = 2000;

/** The text of the ToolMessage, for the model to read. No program parses it. */
export function outcomeText(outcome: SubagentOutcome): string {
  const text = statusText(outcome);
  const partial = outcome.status === "completed" ? "" : (outcome.partialResult ?? "").trim();
  return partial === "" ? text : `${text}\n\nPartial work (incomplete):\n${partial}`;
}

function statusText({ status, result, error, stopReason }: SubagentOutcome): string {
  const cap = isCapReason(stopReason) ? ` (capped: ${CAP_LABELS[stopReason]})` : "";
  switch (status) {
    case "completed":
      return `Task Succeeded${cap}. Result: ${result ?? ""}`;
    case "failed":
      return withError(`Task failed${cap}.`, error);
    case "cancelled":
      return withError("Task cancelled by user.", error);
    case "timed_out":
      return withError("Task timed out.", error);
    case "polling_timed_out":
      return isText(error) ? error : "Task polling timed out.";
  }
}

function withError(text: string, error: string | null): string {
  return isText(error) && error !== text ? `${text} Error: ${error}` : text;
}

/** The facts of an outcome. An unknown status or stop reason throws: it would be lost on every reader. */
export function outcomeMetadata(outcome: SubagentOutcome): SubagentMetadata {
  const usage = outcome.usage;
  StopReason.nullable().parse(outcome.stopReason);
  return {
    subagent_status: SubagentStatus.parse(outcome.status),
    ...(outcome.status === "completed" ? resultFacts(outcome) : errorFacts(outcome)),
    ...(isCapReason(outcome.stopReason) && { subagent_stop_reason: outcome.stopReason }),
    ...(isText(outcome.modelName) && { subagent_model_name: outcome.modelName.trim() }),
    ...(usage !== null && {
      subagent_token_usage: {
        input_tokens: usage.input_tokens,
        output_tokens: usage.output_tokens,
        total_tokens: usage.total_tokens,
      },
    }),
  };
}

function resultFacts({ result, resultSha256 }: SubagentOutcome): Partial<SubagentMetadata> {
  if (!isText(result)) return {};
  return {
    subagent_result_brief: boundText(result, BRIEF_MAX_CHARS),
    ...(resultSha256 !== null && { subagent_result_sha256: resultSha256 }),
  };
}

function errorFacts({ error }: SubagentOutcome): Partial<SubagentMetadata> {
  return isText(error) ? { subagent_error: boundText(error, BRIEF_MAX_CHARS) } : {};
}

function isText(value: string | null): value is string {
  return value !== null && value.trim() !== "";
}
