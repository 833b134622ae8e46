import { type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { countTokensApproximately } from "langchain";

import { headOf } from "@antler/contracts";

import { callGroupsOf } from "./call-groups.ts";

const LEFT_OUT = "[left out: the conversation is longer than the model's context window]";
const CHARS_A_TOKEN = 4;

/**
 * The conversation in at most `maxTokens`, roughly counted. First the results of older calls are left out, then whole
 * older parts, and last the newest results are cut. A call always keeps a result right behind it; the first message
 * with the task and the newest part always stay.
 */
export function fitWindow(messages: readonly BaseMessage[], maxTokens: number): BaseMessage[] {
  if (countTokensApproximately([...messages]) <= maxTokens) return [...messages];
  const cleared = clearOldResults(messages, maxTokens);
  if (countTokensApproximately(cleared) <= maxTokens) return cleared;
  return cutResults(dropOldGroups(cleared, maxTokens), maxTokens);
}

function clearOldResults(messages: readonly BaseMessage[], maxTokens: number): BaseMessage[] {
  const fitted = [...messages];
  const newest = fitted.length - (callGroupsOf(messages).at(-1)?.length ?? 0);
  for (let index = 0; index < newest && countTokensApproximately(fitted) > maxTokens; index += 1) {
    const message = fitted[index];
    if (ToolMessage.isInstance(message) && message.text.length > LEFT_OUT.length)
      fitted[index] = withText(message, LEFT_OUT);
  }
  return fitted;
}

function dropOldGroups(messages: readonly BaseMessage[], maxTokens: number): BaseMessage[] {
  const [first = [], ...rest] = callGroupsOf(messages);
  const marked = (kept: readonly BaseMessage[][]) => [...first, new HumanMessage(LEFT_OUT), ...kept.flat()];
  let kept = rest;
  while (kept.length > 1 && countTokensApproximately(marked(kept)) > maxTokens) kept = kept.slice(1);
  return kept.length === rest.length ? [...messages] : marked(kept);
}

/** Cuts the results of the newest part to what room is left, each to the same length. */
function cutResults(messages: readonly BaseMessage[], maxTokens: number): BaseMessage[] {
  const results = messages.filter((message) => ToolMessage.isInstance(message));
  const others = messages.map((message) => (ToolMessage.isInstance(message) ? withText(message, "") : message));
  const room = Math.max(0, maxTokens - countTokensApproximately(others)) * CHARS_A_TOKEN;
  const share = Math.max(0, Math.floor(room / Math.max(1, results.length)) - LEFT_OUT.length - 1);
  return messages.map((message) =>
    ToolMessage.isInstance(message) && message.text.length > share + LEFT_OUT.length
      ? withText(message, `${headOf(message.text, share)}\n${LEFT_OUT}`)
      : message,
  );
}

function withText({ id, tool_call_id, name, status }: ToolMessage, content: string): ToolMessage {
  return new ToolMessage({
    tool_call_id,
    content,
    ...(id !== undefined && { id }),
    ...(name !== undefined && { name }),
    ...(status !== undefined && { status }),
  });
}
