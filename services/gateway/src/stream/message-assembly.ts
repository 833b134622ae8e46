type Content = string | readonly unknown[];
export type MessageDict = Readonly<Record<string, unknown>>;

/** What a client has got of a message that is still being written. */
export interface PartialMessage {
  readonly content: Content;
  /** Fields beside the content of which the client has got something. */
  readonly filled: ReadonlySet<string>;
}

export const EMPTY_MESSAGE: PartialMessage = { content: "", filled: new Set() };

/** Clients add these fields up as they add up the content, so that each may be sent only once. */
const ADDED_UP = ["tool_calls", "usage_metadata", "response_metadata", "additional_kwargs"] as const;

export function withDelta(partial: PartialMessage, delta: MessageDict): PartialMessage {
  const filled = ADDED_UP.filter((field) => isFilled(delta[field]));
  const calls = isFilled(delta["tool_call_chunks"]) ? ["tool_calls"] : [];
  return {
    content: joined(partial.content, contentOf(delta)),
    filled: new Set([...partial.filled, ...filled, ...calls]),
  };
}

/** What is missing from the deltas of a message to make it whole, as one more chunk. */
export function remainderOf(partial: PartialMessage, message: MessageDict): MessageDict {
  const missing = ADDED_UP.filter((field) => isFilled(message[field]) && !partial.filled.has(field));
  return {
    id: message["id"],
    type: "AIMessageChunk",
    content: missingText(partial.content, contentOf(message)),
    ...Object.fromEntries(missing.map((field) => [field, message[field]])),
  };
}

function contentOf(message: MessageDict): Content {
  const content: unknown = message["content"];
  return typeof content === "string" || Array.isArray(content) ? content : "";
}

function joined(left: Content, right: Content): Content {
  if (typeof left === "string" && typeof right === "string") return left + right;
  return [...blocksOf(left), ...blocksOf(right)];
}

function blocksOf(content: Content): readonly unknown[] {
  if (typeof content !== "string") return content;
  return content === "" ? [] : [{ type: "text", text: content }];
}

function isFilled(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

/** Empty when the texts disagree: the client's values are then the truth. */
function missingText(sent: Content, whole: Content): string {
  const before = textOf(sent);
  const text = textOf(whole);
  return text.startsWith(before) ? text.slice(before.length) : "";
}

function textOf(content: Content): string {
  if (typeof content === "string") return content;
  return content.map((block) => (isTextBlock(block) ? block.text : "")).join("");
}

function isTextBlock(block: unknown): block is { text: string } {
  return typeof block === "object" && block !== null && "text" in block && typeof block.text === "string";
}
