import { AIMessage, type BaseMessage } from "@langchain/core/messages";

import { headOf } from "@antler/contracts";

/** In `additional_kwargs` of an answer that stands for a failed model call; programs go by it and never by the text. */
const MARK = "antler_model_failure";

const DETAIL_MAX_CHARS = 2000;
const NO_DETAIL = "LLM request failed";

/** The answer that stands for a model call that failed for good. */
export function failedAnswer(detail: string): AIMessage {
  const shown = headOf(detail, DETAIL_MAX_CHARS);
  const fields = { content: shown, additional_kwargs: { [MARK]: { detail: shown } } };
  return new AIMessage(fields);
}

/** What a message that stands for a failed model call says of it; null for any other message. */
export function markedFailureOf(message: BaseMessage | undefined): string | null {
  const mark: unknown = message?.additional_kwargs[MARK];
  if (message === undefined || typeof mark !== "object" || mark === null) return null;
  const { detail } = mark as { detail?: unknown };
  const words = [message.text, detail].filter((text): text is string => typeof text === "string");
  return words.find((text) => text.trim() !== "") ?? NO_DETAIL;
}
