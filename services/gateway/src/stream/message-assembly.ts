type Content = string | readonly unknown[];
export type MessageDict = Readonly<Record<string, unknown>>;

/** What a client has got of a message that is still being written. */
export interface PartialMessage {
  readonly content: Content;
  readonly hasToolCalls: boolean;
  readonly hasUsage: boolean;
}

export const EMPTY_MESSAGE: PartialMessage = { content: "", hasToolCalls: false, hasUsage: false };

export function withDelta(partial: PartialMessage, delta: MessageDict): PartialMessage {
  return {
    content: joined(partial.content, contentOf(delta)),
    hasToolCalls: partial.hasToolCalls || isFilled(delta["tool_calls"]) || isFilled(delta["tool_call_chunks"]),
    hasUsage: partial.hasUsage || delta["usage_metadata"] != null,
  };
}

/**
 * What is missing from the deltas of a message to make it whole, as one more chunk: clients add chunks up, so that
 * sending the finished message would double it.
 */
export function remainderOf(partial: PartialMessage, message: MessageDict): MessageDict {
  const { tool_calls, usage_metadata, ...rest } = message;
  return {
    ...rest,
    type: "AIMessageChunk",
    content: missingText(partial.content, contentOf(message)),
    ...(!partial.hasToolCalls && tool_calls !== undefined && { tool_calls }),
    ...(!partial.hasUsage && usage_metadata !== undefined && { usage_metadata }),
  };
}

function contentOf(message: MessageDict): Content {
  const content = message["content"];
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
  return Array.isArray(value) && value.length > 0;
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
