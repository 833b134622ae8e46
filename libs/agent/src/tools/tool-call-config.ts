import type { LangGraphRunnableConfig } from "@langchain/langgraph";

/** What a tool is told of its call. In a graph the call itself stands there; invoked by itself, a tool gets its id. */
export type ToolCallConfig = LangGraphRunnableConfig & {
  readonly toolCall?: { readonly id?: string };
  readonly toolCallId?: string;
};

/** The id that the result must carry. */
export function callIdOf({ toolCall, toolCallId }: ToolCallConfig): string {
  return toolCall?.id ?? toolCallId ?? "";
}
