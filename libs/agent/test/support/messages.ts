import type { BaseMessage } from "@langchain/core/messages";
import type { BaseCheckpointSaver } from "@langchain/langgraph";

import type { NewRunEvent } from "@antler/contracts";

type Wire = Record<string, unknown>;

/** Messages of `llm.*` events, in order. */
export function toldMessages(events: readonly NewRunEvent[]): Wire[] {
  return events.filter(({ type }) => type.startsWith("llm.")).map(({ data }) => data["message"] as Wire);
}

/** Messages of the thread's newest checkpoint. */
export async function savedMessages(saver: BaseCheckpointSaver, threadId: string): Promise<BaseMessage[]> {
  const tuple = await saver.getTuple({ configurable: { thread_id: threadId, checkpoint_ns: "" } });
  return (tuple?.checkpoint.channel_values["messages"] ?? []) as BaseMessage[];
}

/** Every call of a history has exactly one result, and no result stands without its call. */
export function callsAndResults(messages: readonly BaseMessage[]): { calls: string[]; results: string[] } {
  const calls = messages.flatMap((message) =>
    "tool_calls" in message ? (message.tool_calls as { id: string }[]) : [],
  );
  const results = messages.flatMap((message) => ("tool_call_id" in message ? [String(message.tool_call_id)] : []));
  return { calls: calls.map(({ id }) => id).sort(), results: results.sort() };
}

/** Resolves once a call's result is saved, also when other calls of its step go on. */
export function whenResultSaved(saver: BaseCheckpointSaver, callId: string): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const put = saver.putWrites.bind(saver);
  saver.putWrites = async (config, writes, taskId) => {
    await put(config, writes, taskId);
    if (JSON.stringify(writes).includes(`"tool_call_id":"${callId}"`)) resolve(callId);
  };
  return promise;
}
