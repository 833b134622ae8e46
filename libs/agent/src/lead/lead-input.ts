import {
  type BaseMessage,
  type BaseMessageLike,
  coerceMessageLikeToMessage,
  HumanMessage,
  RemoveMessage,
} from "@langchain/core/messages";
import { REMOVE_ALL_MESSAGES } from "@langchain/langgraph";
import { z } from "zod";

import { AntlerError, messageOf } from "@antler/contracts";
import { newId } from "@antler/platform";

import { wellFormed } from "../messages/well-formed.ts";

const Input = z.looseObject({
  messages: z
    .union([z.array(z.unknown()), z.string(), z.record(z.string(), z.unknown())])
    .transform((messages) => (Array.isArray(messages) ? messages : [messages]))
    .default([]),
});

/**
 * The messages of a run's input, each with an id; `earlier` are those that they come after.
 * @throws AntlerError `invalid_request` when one of them is no message, or removes one that is not there.
 */
export function inputMessages(
  input: Readonly<Record<string, unknown>>,
  earlier: readonly BaseMessage[],
): BaseMessage[] {
  const parsed = Input.safeParse(input);
  if (!parsed.success) throw invalid(z.prettifyError(parsed.error));
  const messages = parsed.data.messages.map(asMessage);
  expectRemovable(messages, earlier);
  return messages;
}

/** The graph does not take the removal of a message that it does not have. */
function expectRemovable(messages: readonly BaseMessage[], earlier: readonly BaseMessage[]): void {
  const known = new Set([REMOVE_ALL_MESSAGES, ...earlier.map(({ id }) => id)]);
  for (const [index, message] of messages.entries()) {
    if (RemoveMessage.isInstance(message) && !known.has(message.id))
      throw invalid(`messages.${index}.id: must be the id of a message of the thread, or ${REMOVE_ALL_MESSAGES}`);
    known.add(message.id);
  }
}

function asMessage(value: unknown, index: number): BaseMessage {
  const message = coerced(value, index);
  const fault = faultOf(message);
  if (fault !== undefined) throw invalid(`messages.${index}.${fault}`);
  message.id ??= newId();
  message.lc_kwargs["id"] = message.id;
  return message;
}

function coerced(value: unknown, index: number): BaseMessage {
  try {
    return coerceMessageLikeToMessage(wellFormed(value) as BaseMessageLike);
  } catch (cause) {
    throw invalid(`messages.${index}: ${messageOf(cause).split("\n")[0] ?? ""}`);
  }
}

const Content = z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]);
const Calls = z.array(z.looseObject({ name: z.string() })).optional();

/** What would break every later request of the thread: nothing else looks at the fields of a message before it is stored. */
function faultOf(message: BaseMessage): string | undefined {
  const isEmpty = HumanMessage.isInstance(message) && message.content.length === 0 && message.content !== "";
  if (isEmpty || !Content.safeParse(message.content).success)
    return "content: must be a text or a list of blocks, each with a type";
  const calls = "tool_calls" in message ? message.tool_calls : undefined;
  return Calls.safeParse(calls).success ? undefined : "tool_calls: must be a list of calls, each with a name";
}

function invalid(reason: string): AntlerError {
  return new AntlerError("invalid_request", `Input of the run is not valid: ${reason}`);
}
