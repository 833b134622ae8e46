import { AIMessage, type BaseMessage } from "@langchain/core/messages";

/** The text of a message: its string, or its text blocks joined. */
export function textOf(message: BaseMessage): string {
  return message.text;
}

/** The text of the last AI message that says anything; null when none does. */
export function lastAiText(messages: readonly BaseMessage[]): string | null {
  const speaking = messages.filter((message) => AIMessage.isInstance(message) && textOf(message).trim() !== "");
  const last = speaking.at(-1);
  return last === undefined ? null : textOf(last);
}
