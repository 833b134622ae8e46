import { AIMessage, BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";

import { eventKeys, type RunEvent, type StreamMode } from "@antler/contracts";

import type { AgentChunk } from "../compiled-agent.ts";
import type { DroppedCalls } from "../delegations/dropped-calls.ts";
import { toWire, toWireMessage } from "../messages/wire-message.ts";
import type { EventSink } from "../ports.ts";

export interface LeadEventsOptions {
  readonly sink: EventSink;
  readonly epoch: number;
  readonly modes: readonly StreamMode[];
  /** Whether an answer may lose task calls right after the model gave it; it is then told with the next update. */
  readonly mayBeTrimmed: boolean;
}

export interface LeadEvents {
  start(facts: Record<string, unknown>): void;
  /** Messages that stand in the run's state; each is stored once, however often it is told. */
  messages(messages: readonly BaseMessage[]): void;
  /** That the next answer was trimmed, to be told with it. */
  trimmed(dropped: DroppedCalls): void;
  chunk(chunk: AgentChunk): void;
  /** Tells what is still held back. */
  end(): void;
}

/** The node in which the model answers. */
const MODEL_NODE = "model_request";

/** Frames of subagents come from their own stored events and are not stored a second time. */
const TASK_FRAME_PREFIX = "task_";

/** Writes what the lead's graph streams into the run's log. */
export function createLeadEvents({ sink, epoch, modes, mayBeTrimmed }: LeadEventsOptions): LeadEvents {
  let count = 0;
  let held: BaseMessage | undefined;
  let trim: Record<string, unknown> = {};

  const tell = (message: BaseMessage) => {
    const type = eventTypeOf(message);
    if (type === null || message.id === undefined) return;
    const isAnswer = type === "llm.ai.response";
    const data = { namespace: [], message: toWireMessage(message), ...(isAnswer && trim) };
    if (isAnswer) trim = {};
    sink.append({ key: `message:${message.id}`, type, data });
  };
  const release = () => {
    if (held !== undefined) tell(held);
    held = undefined;
  };
  const takeUpdate = (payload: object) => {
    const isAnswer = mayBeTrimmed && MODEL_NODE in payload;
    for (const message of lastMessages(payload)) {
      const isHeld = held !== undefined && message.id === held.id;
      if (!isHeld) release();
      if (isHeld || isAnswer) held = message;
      else tell(message);
    }
    if (!isAnswer) release();
  };
  return {
    start: (facts) => sink.append({ key: eventKeys.runStart, type: "run.start", data: facts }),
    messages: (messages) => messages.forEach(tell),
    trimmed({ count, reason }) {
      trim = { dropped_task_calls: { count, reason } };
    },
    chunk({ mode, namespace, payload }) {
      if (mode === "messages") return;
      if (mode === "updates" && namespace.length === 0 && isObject(payload)) takeUpdate(payload);
      if (!modes.includes(mode) || (mode === "custom" && isTaskFrame(payload))) return;
      count += 1;
      const data = { mode, namespace: [...namespace], payload: toWire(payload) };
      sink.append({ key: eventKeys.lead(epoch, count), type: `stream.${mode}`, data });
    },
    end: release,
  };
}

function eventTypeOf(message: BaseMessage): RunEvent["type"] | null {
  if (AIMessage.isInstance(message)) return "llm.ai.response";
  if (ToolMessage.isInstance(message)) return "llm.tool.result";
  return HumanMessage.isInstance(message) ? "llm.human.input" : null;
}

function isTaskFrame(payload: unknown): boolean {
  return (
    isObject(payload) &&
    "type" in payload &&
    typeof payload.type === "string" &&
    payload.type.startsWith(TASK_FRAME_PREFIX)
  );
}

/** The newest message of each node's update; a node that rewrites the history repeats the older ones. */
function lastMessages(payload: object): BaseMessage[] {
  return Object.values(payload as Record<string, unknown>).flatMap((update) => {
    const messages = messagesOf(update);
    const last = messages.at(-1);
    return last === undefined ? [] : [last];
  });
}

function messagesOf(update: unknown): BaseMessage[] {
  if (Array.isArray(update)) return update.flatMap(messagesOf);
  if (!isObject(update) || !("messages" in update)) return [];
  const { messages } = update;
  return (Array.isArray(messages) ? (messages as unknown[]) : [messages]).filter((message) =>
    BaseMessage.isInstance(message),
  );
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
