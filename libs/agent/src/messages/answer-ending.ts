import type { AIMessage } from "@langchain/core/messages";

const KEYS = ["finish_reason", "stop_reason", "finishReason", "status"] as const;

/** How the provider says that an answer ended, in lower case; null when it does not say. Adapters keep it in different places. */
export function answerEnding(message: AIMessage): string | null {
  const { response_metadata: metadata, additional_kwargs: extras } = message as unknown as Record<string, object>;
  const said = [metadata, extras].flatMap((place) => KEYS.map((key) => (place as Record<string, unknown>)[key]));
  const ending = said.find((value): value is string => typeof value === "string" && value !== "");
  return ending?.toLowerCase() ?? null;
}
