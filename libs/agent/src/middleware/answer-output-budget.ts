import { type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { type AgentMiddleware, createMiddleware } from "langchain";

import type { ToolOutputConfig } from "@antler/contracts";

import { callGroupsOf } from "../messages/call-groups.ts";
import { fairLength } from "../messages/fair-length.ts";
import { outputPreview } from "../messages/output-preview.ts";
import { rebuildToolMessage } from "../messages/rebuild-tool-message.ts";
import { STORED_OUTPUT_READER, storedAt, storedOutputOf } from "../messages/stored-output.ts";
import type { OutputStore } from "./output-store.ts";

/** Of what is shown of a shortened output: the part that is its beginning. */
const HEAD_PART = 2 / 3;

/**
 * Bounds what the results of one answer take of a request together: the longest are shortened first, to one length. Each
 * of them is stored once, where the agent can read it. The conversation itself stays as it is.
 */
export function createAnswerOutputBudget(
  { answer_max_chars: room }: Pick<ToolOutputConfig, "answer_max_chars">,
  outputs: OutputStore,
): AgentMiddleware {
  const places = new Map<string, Promise<string | null>>();
  const placeOf = (message: ToolMessage): Promise<string | null> => {
    const { tool_call_id: id, name = "tool", text } = message;
    const stored = storedOutputOf(message);
    if (stored !== null || name === STORED_OUTPUT_READER) return Promise.resolve(stored?.path ?? null);
    const place = places.get(id) ?? outputs.store(name, text).then(({ path }) => path);
    places.set(id, place);
    return place;
  };
  const shortened = async (message: BaseMessage, length: number): Promise<BaseMessage> => {
    if (!ToolMessage.isInstance(message) || message.text.length <= length) return message;
    const head = Math.floor(length * HEAD_PART);
    const place = storedAt(await placeOf(message));
    return rebuildToolMessage(message, { content: outputPreview(message.text, { head, tail: length - head }, place) });
  };
  const bounded = (group: readonly BaseMessage[]): Promise<BaseMessage[]> => {
    const results = group.filter((message) => ToolMessage.isInstance(message));
    const length = fairLength(
      results.map(({ text }) => text.length),
      room,
    );
    return Promise.all(group.map((message) => shortened(message, length)));
  };
  return createMiddleware({
    name: "AnswerOutputBudget",
    wrapModelCall: async (request, handler) => {
      const groups = await Promise.all(callGroupsOf(request.messages).map(bounded));
      return handler({ ...request, messages: groups.flat() });
    },
  });
}
