import { AntlerError } from "@antler/contracts";

import type { GatewayDeps } from "./gateway-deps.ts";
import { newestState } from "./newest-state.ts";

/** Stands for all messages of a thread. */
const ALL = "__remove_all__";

type Input = Readonly<Record<string, unknown>> | null;

/**
 * Checks that each message of type `remove` in a run's input names a message that the thread has, or one before it in
 * the same input. A thread is looked up only when there is such a message.
 * @throws AntlerError `invalid_request` that names the field.
 */
export async function expectRemovable(
  deps: Pick<GatewayDeps, "runs" | "readState">,
  threadId: string,
  input: Input,
): Promise<void> {
  const messages = messagesIn(input);
  if (!messages.some(isRemoval)) return;
  const state = await newestState(deps, threadId);
  const known = new Set<unknown>([ALL, ...messagesIn(state?.values ?? null).map(idOf)]);
  for (const [index, message] of messages.entries()) {
    if (isRemoval(message) && !known.has(idOf(message) ?? null)) throw unknownId(index);
    known.add(idOf(message));
  }
}

function messagesIn(values: Input): readonly unknown[] {
  const messages = values?.["messages"];
  return Array.isArray(messages) ? (messages as unknown[]) : [messages];
}

function isRemoval(message: unknown): boolean {
  const { type, role } = fieldsOf(message);
  return type === "remove" || role === "remove";
}

function idOf(message: unknown): unknown {
  return fieldsOf(message)["id"];
}

function fieldsOf(message: unknown): Readonly<Record<string, unknown>> {
  return typeof message === "object" && message !== null ? (message as Record<string, unknown>) : {};
}

function unknownId(index: number): AntlerError {
  const path = `input.messages.${index}.id`;
  const message = `must be the id of a message of the thread, or ${ALL}`;
  return new AntlerError("invalid_request", `The request is not valid: ${path}: ${message}`, {
    details: { errors: [{ path, message }] },
  });
}
