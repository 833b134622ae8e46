import { ToolMessage } from "@langchain/core/messages";

import { outcomeMetadata, outcomeText, type SubagentOutcome } from "@antler/contracts";

import { TASK_TOOL_NAME } from "../delegations/task-calls.ts";
import { wellFormed } from "../messages/well-formed.ts";

/** What the lead gets back of a task: a text for the model, and beside it the facts for programs. */
export function outcomeMessage(callId: string, given: SubagentOutcome): ToolMessage {
  const outcome = wellFormed(given);
  const metadata = { additional_kwargs: { ...outcomeMetadata(outcome) } };
  return new ToolMessage({
    tool_call_id: callId,
    name: TASK_TOOL_NAME,
    content: outcomeText(outcome),
    status: outcome.status === "completed" ? "success" : "error",
    ...metadata,
  });
}
