import { ToolMessage } from "@langchain/core/messages";

export interface ToolMessageChanges {
  readonly content?: ToolMessage["content"];
  readonly name?: string;
  readonly tool_call_id?: string;
  /** Added to what programs read of the message beside its text. */
  readonly marks?: Readonly<Record<string, unknown>>;
}

/** A result like `message` with something changed; whatever else it carries for programs stays with it. */
export function rebuildToolMessage(message: ToolMessage, changes: ToolMessageChanges): ToolMessage {
  const { marks, ...changed } = changes;
  const { id, name, status, tool_call_id, content, response_metadata, additional_kwargs: facts } = message;
  const artifact: unknown = message.artifact;
  const fields = { tool_call_id, content, response_metadata, additional_kwargs: { ...facts, ...marks } };
  return new ToolMessage({
    ...fields,
    ...(artifact !== undefined && { artifact }),
    ...(id !== undefined && { id }),
    ...(name !== undefined && { name }),
    ...(status !== undefined && { status }),
    ...changed,
  });
}
