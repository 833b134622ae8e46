import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { countTokensApproximately } from "langchain";

import { headOf } from "@antler/contracts";

import { callGroupsOf } from "./call-groups.ts";
import { fairLength } from "./fair-length.ts";
import { rebuildToolMessage } from "./rebuild-tool-message.ts";

const LEFT_OUT = "[left out: the conversation is longer than the model's context window]";
const CHARS_A_TOKEN = 4;

/**
 * The conversation in at most `maxTokens`, roughly counted. First the results of older calls are left out, then whole
 * older parts, and last the newest results are cut. A call always keeps a result right behind it; the first message,
 * the one that began the newest turn, the newest answer with its results and what follows it always stay.
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
      fitted[index] = rebuildToolMessage(message, { content: LEFT_OUT });
  }
  return fitted;
}

function dropOldGroups(messages: readonly BaseMessage[], maxTokens: number): BaseMessage[] {
  const groups = callGroupsOf(messages);
  const stays = staying(groups);
  const marked = (from: number) => {
    const kept = groups.filter((_, index) => index >= from || stays.has(index));
    return [...(kept[0] ?? []), new HumanMessage(LEFT_OUT), ...kept.slice(1).flat()];
  };
  const droppable = [...groups.keys()].filter((index) => !stays.has(index));
  const last = droppable.at(-1);
  if (last === undefined) return [...messages];
  const from = droppable.find((index) => countTokensApproximately(marked(index + 1)) <= maxTokens) ?? last;
  return marked(from + 1);
}

/**
 * The places of the parts that are never left out. Right before the message of the turn stands what the agent is told
 * with each call, behind the newest answer what its guards have to say.
 */
function staying(groups: readonly BaseMessage[][]): ReadonlySet<number> {
  const isHuman = ([head]: readonly BaseMessage[]) => HumanMessage.isInstance(head);
  const answer = groups.findLastIndex(([head]) => AIMessage.isInstance(head));
  const turn = groups.findLastIndex((group, index) => index < answer && isHuman(group));
  const told = isHuman(groups[turn - 1] ?? []) ? [turn - 1] : [];
  const newest = [...groups.keys()].slice(Math.max(0, answer));
  return new Set([0, ...told, turn, ...newest]);
}

/** Cuts results to what room is left, the longest first. */
function cutResults(messages: readonly BaseMessage[], maxTokens: number): BaseMessage[] {
  const results = messages.filter((message) => ToolMessage.isInstance(message));
  const others = messages.map((message) =>
    ToolMessage.isInstance(message) ? rebuildToolMessage(message, { content: "" }) : message,
  );
  const room = Math.max(0, maxTokens - countTokensApproximately(others)) * CHARS_A_TOKEN;
  const length = fairLength(
    results.map(({ text }) => text.length),
    room,
  );
  const share = Math.max(0, length - LEFT_OUT.length - 1);
  return messages.map((message) =>
    ToolMessage.isInstance(message) && message.text.length > share + LEFT_OUT.length
      ? rebuildToolMessage(message, { content: `${headOf(message.text, share)}\n${LEFT_OUT}` })
      : message,
  );
}
