import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { type AgentMiddleware, createMiddleware } from "langchain";

import { textOf } from "../messages/message-text.ts";

export interface StepRecorderOptions {
  /** Takes the message with its number, from 1. */
  readonly append: (message: AIMessage | ToolMessage, index: number) => void;
  /** Resolves when all appended steps are stored. */
  readonly flush: () => Promise<unknown>;
}

export interface StepRecorder {
  readonly middleware: AgentMiddleware;
  count(): number;
  /** What the agent said last, also when its execution was cut short; null when it said nothing. */
  lastAiText(): string | null;
}

/** Reports each answer and each tool result as it happens; all of them are stored before the next model call. */
export function createStepRecorder({ append, flush }: StepRecorderOptions): StepRecorder {
  let count = 0;
  let lastText: string | null = null;
  const record = (message: AIMessage | ToolMessage) => {
    count += 1;
    lastText = spokenText(message) ?? lastText;
    append(message, count);
  };
  const middleware = createMiddleware({
    name: "StepRecorder",
    wrapModelCall: async (request, handler) => {
      await flush();
      const message = await handler(request);
      record(message);
      return message;
    },
    wrapToolCall: async (request, handler) => {
      const result = await handler(request);
      if (ToolMessage.isInstance(result)) record(result);
      return result;
    },
  });
  return { middleware, count: () => count, lastAiText: () => lastText };
}

function spokenText(message: BaseMessage): string | null {
  const text = AIMessage.isInstance(message) ? textOf(message) : "";
  return text.trim() === "" ? null : text;
}
