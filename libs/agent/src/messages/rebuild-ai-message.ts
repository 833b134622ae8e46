import { AIMessage, type AIMessageChunk, type AIMessageFields, type UsageMetadata } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";

/** The provider's own form of a call, which some adapters keep beside the parsed one. */
export type RawCall = Readonly<Record<string, unknown>>;

interface Extras {
  readonly additional_kwargs: Readonly<Record<string, unknown>>;
  readonly usage_metadata?: UsageMetadata;
}

/** The provider's raw calls; undefined when the message carries none. */
export function rawCallsOf(message: AIMessage): readonly RawCall[] | undefined {
  const { tool_calls: raw } = extrasOf(message).additional_kwargs;
  return Array.isArray(raw) ? (raw as RawCall[]) : undefined;
}

export function usageMetadataOf(message: AIMessage | AIMessageChunk): UsageMetadata | undefined {
  return extrasOf(message).usage_metadata;
}

function extrasOf(message: AIMessage | AIMessageChunk): Extras {
  return message as unknown as Extras;
}

export interface AiMessageChanges {
  readonly id?: string;
  readonly content?: AIMessage["content"];
  readonly calls: ToolCall[];
  /** Empty drops them. */
  readonly rawCalls: readonly RawCall[];
  readonly responseMetadata?: Record<string, unknown>;
  /** Added to what programs read of the message beside its text. */
  readonly marks?: Readonly<Record<string, unknown>>;
}

/** A plain AI message like `message`, with other calls. Parsed and raw calls are changed together, or providers differ. */
export function rebuildAiMessage(message: AIMessage, changes: AiMessageChanges): AIMessage {
  const { additional_kwargs: kwargs, usage_metadata: usage } = extrasOf(message);
  const others = Object.fromEntries(Object.entries(kwargs).filter(([key]) => key !== "tool_calls"));
  const id = changes.id ?? message.id;
  const fields = {
    content: withCalls(changes.content ?? message.content, changes.calls),
    tool_calls: changes.calls,
    response_metadata: changes.responseMetadata ?? message.response_metadata,
    additional_kwargs: {
      ...others,
      ...changes.marks,
      ...(changes.rawCalls.length > 0 && { tool_calls: [...changes.rawCalls] }),
    },
    ...(id !== undefined && { id }),
    ...(message.name !== undefined && { name: message.name }),
    ...(usage !== undefined && { usage_metadata: usage }),
  };
  return new AIMessage(fields as AIMessageFields);
}

/** Some providers keep the calls among the blocks of the content too; both must name the same ones. */
function withCalls(content: AIMessage["content"], calls: readonly ToolCall[]): AIMessage["content"] {
  if (!Array.isArray(content) || !content.some(isCallBlock)) return content;
  const blocks = calls.map(({ id = "", name, args }) => ({ type: "tool_use", id, name, input: args }));
  return [...content.filter((block) => !isCallBlock(block)), ...blocks];
}

function isCallBlock({ type }: { readonly type: string }): boolean {
  return type === "tool_use" || type === "input_json_delta" || type === "tool_call";
}
