import { createHash } from "node:crypto";

import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";

import {
  boundText,
  BRIEF_MAX_CHARS,
  failedOutcome,
  headOf,
  outcomeText,
  readSubagentMetadata,
  type SubagentMetadata,
} from "@antler/contracts";

import type { DelegationEntry } from "./delegation-entry.ts";
import { TASK_TOOL_NAME } from "./task-calls.ts";

const DESCRIPTION_MAX_CHARS = 200;
const TYPE_MAX_CHARS = 100;

export interface ExtractionFacts {
  readonly runId: string;
  /** ISO 8601; the time of entries that are new. */
  readonly now: string;
}

/** The task calls of a conversation in their order, each with what the metadata of its result says of it. */
export function extractDelegations(messages: readonly BaseMessage[], facts: ExtractionFacts): DelegationEntry[] {
  const results = new Map(
    messages.filter((message) => ToolMessage.isInstance(message)).map((message) => [message.tool_call_id, message]),
  );
  const calls = messages.flatMap((message) => (AIMessage.isInstance(message) ? (message.tool_calls ?? []) : []));
  return calls
    .filter(({ name }) => name === TASK_TOOL_NAME)
    .map((call) => ({ ...entryOf(call, facts), ...resultOf(results.get(call.id ?? "")) }));
}

function entryOf({ id = "", args }: ToolCall, { runId, now }: ExtractionFacts): DelegationEntry {
  const { description, prompt, subagent_type: type } = args as Readonly<Record<string, unknown>>;
  const title = [description, prompt].find((text): text is string => typeof text === "string" && text.trim() !== "");
  return {
    id,
    run_id: runId,
    description: headOf(title ?? "", DESCRIPTION_MAX_CHARS),
    subagent_type: typeof type === "string" ? headOf(type, TYPE_MAX_CHARS) : "",
    status: "in_progress",
    created_at: now,
  };
}

function resultOf(message: ToolMessage | undefined): Partial<DelegationEntry> {
  const metadata = message === undefined ? null : readSubagentMetadata(message.additional_kwargs);
  if (message === undefined || metadata === null) return {};
  const brief = boundText(briefOf(metadata), BRIEF_MAX_CHARS);
  return {
    status: metadata.subagent_status,
    result_brief: brief,
    result_sha256: metadata.subagent_result_sha256 ?? createHash("sha256").update(brief, "utf8").digest("hex"),
    result_ref: message.id ?? message.tool_call_id,
    ...(metadata.subagent_stop_reason !== undefined && { stop_reason: metadata.subagent_stop_reason }),
    ...(metadata.subagent_acceptance_verdict !== undefined && { verdict: metadata.subagent_acceptance_verdict }),
  };
}

function briefOf({ subagent_status: status, ...facts }: SubagentMetadata): string {
  const told = status === "completed" ? facts.subagent_result_brief : facts.subagent_error;
  return told ?? outcomeText({ ...failedOutcome(""), status }).trim();
}
