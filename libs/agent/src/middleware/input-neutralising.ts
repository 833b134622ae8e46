import { type BaseMessage, type ContentBlock, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { type AgentMiddleware, createMiddleware } from "langchain";

import { neutralTags } from "../injection/neutral-tags.ts";
import { markedInput } from "../injection/user-input.ts";
import { isHumanInput } from "../messages/human-input.ts";
import { rebuildToolMessage } from "../messages/rebuild-tool-message.ts";

export interface InputNeutralisingOptions {
  /** Whether a tool brings text from outside of the sandbox. */
  readonly isRemote: (tool: string) => boolean;
}

/**
 * Shows the model what users and other agents wrote as input, in requests alone: what is stored stays as they wrote it.
 * What tools bring from elsewhere loses at once the tags that could pass for the system's own, so that no copy of it
 * brings them back.
 */
export function createInputNeutralising({ isRemote }: InputNeutralisingOptions): AgentMiddleware {
  return createMiddleware({
    name: "InputNeutralising",
    wrapModelCall: (request, handler) => handler({ ...request, messages: request.messages.map(asInput) }),
    wrapToolCall: async (request, handler) => {
      const result = await handler(request);
      return ToolMessage.isInstance(result) && isRemote(request.toolCall.name) ? withoutTags(result) : result;
    },
  });
}

function asInput(message: BaseMessage): BaseMessage {
  if (!isHumanInput(message)) return message;
  return new HumanMessage({ ...idOf(message), content: changed(message.content, markedInput) });
}

function withoutTags(result: ToolMessage): ToolMessage {
  return rebuildToolMessage(result, { content: changed(result.content, neutralTags) });
}

function idOf({ id }: BaseMessage): { id?: string } {
  return id === undefined ? {} : { id };
}

type Content = BaseMessage["content"];

function changed(content: Content, change: (text: string) => string): Content {
  if (typeof content === "string") return change(content);
  return content.map((block) => (isText(block) ? { ...block, text: change(block.text) } : block));
}

function isText(block: ContentBlock | { type: string }): block is ContentBlock.Text {
  return block.type === "text" && "text" in block && typeof block["text"] === "string";
}
