interface Message {
  readonly type?: unknown;
  readonly content?: unknown;
}

/** The text of the last message of the model in a state as the stream gives it; empty when there is none. */
export function finalAnswerOf(values: unknown): string {
  const messages: unknown = (values as { messages?: unknown } | null)?.messages;
  if (!Array.isArray(messages)) return "";
  const last = (messages as Message[]).findLast(({ type }) => type === "ai");
  return textOf(last?.content);
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return (content as { text?: unknown }[]).map(({ text }) => (typeof text === "string" ? text : "")).join("");
}
