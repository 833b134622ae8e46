import { type BaseMessage, type BaseMessageLike, coerceMessageLikeToMessage } from "@langchain/core/messages";
import { z } from "zod";

import { AntlerError, messageOf } from "@antler/contracts";
import { newId } from "@antler/platform";

const Input = z.looseObject({
  messages: z
    .union([z.array(z.unknown()), z.string(), z.record(z.string(), z.unknown())])
    .transform((messages) => (Array.isArray(messages) ? messages : [messages]))
    .default([]),
});

/**
 * The messages of a run's input, each with an id.
 * @throws AntlerError `invalid_request` when one of them is no message.
 */
export function inputMessages(input: Readonly<Record<string, unknown>>): BaseMessage[] {
  const parsed = Input.safeParse(input);
  if (!parsed.success) throw invalid(z.prettifyError(parsed.error));
  return parsed.data.messages.map(asMessage);
}

function asMessage(value: unknown, index: number): BaseMessage {
  try {
    const message = coerceMessageLikeToMessage(value as BaseMessageLike);
    message.id ??= newId();
    message.lc_kwargs["id"] = message.id;
    return message;
  } catch (cause) {
    throw invalid(`messages.${index}: ${messageOf(cause).split("\n")[0] ?? ""}`);
  }
}

function invalid(reason: string): AntlerError {
  return new AntlerError("invalid_request", `Input of the run is not valid: ${reason}`);
}
