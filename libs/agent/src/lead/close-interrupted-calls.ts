import type { BaseMessage, ToolMessage } from "@langchain/core/messages";

import type { SubagentOutcome } from "@antler/contracts";
import { newId } from "@antler/platform";

import { closingMessage, openCallsOf } from "../messages/close-open-calls.ts";
import { settleToolMessage } from "../messages/settle-tool-message.ts";
import type { EndedCalls } from "../ports.ts";
import { TASK_TOOL_NAME } from "../subagents/limit-task-calls.ts";
import { outcomeMessage } from "../tools/outcome-message.ts";

/**
 * The results that interrupted calls of a thread still lack: of a task what the ledger says of it, of any other tool
 * that it has none. Tasks that are still ending are waited for at most `waitMs`.
 */
export async function closingMessages(
  messages: readonly BaseMessage[],
  endedCalls: EndedCalls,
  waitMs: number,
): Promise<ToolMessage[]> {
  const open = openCallsOf(messages);
  const tasks = open.filter(({ name }) => name === TASK_TOOL_NAME).map(({ id }) => id);
  const outcomes = tasks.length === 0 ? new Map<string, SubagentOutcome>() : await endedCalls(tasks, waitMs);
  return open.map((call) => {
    const outcome = outcomes.get(call.id);
    const message = outcome === undefined ? closingMessage(call) : outcomeMessage(call.id, outcome);
    return settleToolMessage(message, newId);
  });
}
