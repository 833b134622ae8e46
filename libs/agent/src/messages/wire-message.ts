import { AIMessageChunk, BaseMessage } from "@langchain/core/messages";

export type WireMessage = Readonly<Record<string, unknown>>;

/** A message as the LangGraph API writes it: one flat object with `type` beside its fields. */
export function toWireMessage(message: BaseMessage): WireMessage {
  const { type, data } = message.toDict();
  return { ...(plain(data) as Record<string, unknown>), type };
}

/** A streamed piece of a message, with the type by which clients know that more follows. */
export function toWireChunk(message: BaseMessage): WireMessage {
  const wire = toWireMessage(message);
  return AIMessageChunk.isInstance(message) && "tool_call_chunks" in message
    ? { ...wire, type: "AIMessageChunk" }
    : wire;
}

/** Any value of a graph's state or stream as plain JSON, with its messages in wire form. */
export function toWire(value: unknown): unknown {
  if (BaseMessage.isInstance(value)) return toWireMessage(value);
  if (Array.isArray(value)) return value.map(toWire);
  if (!isPlainObject(value)) return plain(value);
  return Object.fromEntries(Object.entries(value).flatMap(([key, entry]) => wireEntry(key, entry)));
}

function wireEntry(key: string, entry: unknown): [string, unknown][] {
  const wire = toWire(entry);
  return wire === undefined ? [] : [[key, wire]];
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function plain(value: unknown): unknown {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? undefined : (JSON.parse(text) as unknown);
}
