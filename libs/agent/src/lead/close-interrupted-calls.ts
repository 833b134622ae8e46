import { type BaseMessage, ToolMessage } from "@langchain/core/messages";

import type { SubagentOutcome } from "@antler/contracts";
import { newId } from "@antler/platform";

import { TASK_TOOL_NAME } from "../delegations/task-calls.ts";
import { closingMessage, type OpenCall, openCallsOf } from "../messages/close-open-calls.ts";
import { settleToolMessage } from "../messages/settle-tool-message.ts";
import type { EndedCalls } from "../ports.ts";
import { ASK_CLARIFICATION_NAME } from "../tools/ask-clarification-tool.ts";
import { outcomeMessage } from "../tools/outcome-message.ts";

export interface ClosingSources {
  /** What the thread holds, with results that were given in a step that has not ended. */
  readonly messages: readonly BaseMessage[];
  /** Those of the results that go with their step when new input comes, and must be given again. */
  readonly finished: readonly ToolMessage[];
  readonly endedCalls: EndedCalls;
}

/** What stands as the answer to a question that the user passed over with a message of another kind. */
const PASSED_OVER = "The user did not answer this question by itself; what they said instead follows as a message.";

/**
 * The results that interrupted calls of a thread still lack: the one that was given, of a task what the ledger says of
 * it, of any other tool that it has none. Tasks that are still ending are waited for at most `waitMs`.
 */
export async function closingMessages(
  { messages, finished, endedCalls }: ClosingSources,
  waitMs: number,
): Promise<ToolMessage[]> {
  const given = new Map(finished.map((message) => [message.tool_call_id, message]));
  const open = openCallsOf(messages.filter((message) => !isResultIn(message, given)));
  const tasks = open.filter(({ name }) => name === TASK_TOOL_NAME).map(({ id }) => id);
  const outcomes = tasks.length === 0 ? new Map<string, SubagentOutcome>() : await endedCalls(tasks, waitMs);
  return open.map((call) => {
    const outcome = outcomes.get(call.id);
    const ofTask = outcome === undefined ? undefined : outcomeMessage(call.id, outcome);
    return settleToolMessage(given.get(call.id) ?? ofTask ?? unansweredMessage(call), newId);
  });
}

function isResultIn(message: BaseMessage, given: ReadonlyMap<string, ToolMessage>): boolean {
  return ToolMessage.isInstance(message) && given.has(message.tool_call_id);
}

function unansweredMessage(call: OpenCall): ToolMessage {
  if (call.name !== ASK_CLARIFICATION_NAME) return closingMessage(call);
  return new ToolMessage({ tool_call_id: call.id, name: call.name, content: PASSED_OVER });
}
