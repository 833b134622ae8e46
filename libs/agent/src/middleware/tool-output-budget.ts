import { ToolMessage } from "@langchain/core/messages";
import { type AgentMiddleware, createMiddleware } from "langchain";

import type { ToolOutputConfig } from "@antler/contracts";

import { outputPreview } from "../messages/output-preview.ts";
import { rebuildToolMessage } from "../messages/rebuild-tool-message.ts";
import { STORED_OUTPUT_READER, storedAt, storedOutputMark } from "../messages/stored-output.ts";
import type { OutputStore } from "./output-store.ts";

/**
 * Keeps long outputs out of the conversation: the whole text goes into a file that the agent can read, and the model is
 * shown its beginning and end. What cannot be stored is cut.
 */
export function createToolOutputBudget(config: ToolOutputConfig, outputs: OutputStore): AgentMiddleware {
  return createMiddleware({
    name: "ToolOutputBudget",
    wrapToolCall: async (request, handler) => {
      const result = await handler(request);
      const { name } = request.toolCall;
      const isLong = ToolMessage.isInstance(result) && result.text.length > config.max_chars;
      return isLong && name !== STORED_OUTPUT_READER ? shortened(result, name, { config, outputs }) : result;
    },
  });
}

interface Shortening {
  readonly config: ToolOutputConfig;
  readonly outputs: OutputStore;
}

async function shortened(message: ToolMessage, tool: string, { config, outputs }: Shortening): Promise<ToolMessage> {
  const { text } = message;
  const output = await outputs.store(tool, text);
  if (output.path === null && text.length <= config.unsaved_max_chars) return message;
  const size =
    output.path === null
      ? { head: config.unsaved_head_chars, tail: config.unsaved_tail_chars }
      : { head: config.head_chars, tail: config.tail_chars };
  const content = outputPreview(text, size, storedAt(output.path));
  return rebuildToolMessage(message, { content, marks: storedOutputMark(output) });
}
