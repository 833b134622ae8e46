import { AIMessage, type BaseMessage, HumanMessage, isBaseMessage, ToolMessage } from "@langchain/core/messages";

import { eventKeys, type RunEvent, type StreamMode } from "@antler/contracts";

import type { AgentChunk } from "../create-agent.ts";
import { toWire, toWireMessage } from "../messages/wire-message.ts";
import type { EventSink } from "../ports.ts";
import type { TrimmedCalls } from "../subagents/limit-task-calls.ts";

export interface LeadEventsOptions {
  readonly sink: EventSink;
  readonly epoch: number;
  readonly modes: readonly StreamMode[];
}

export interface LeadEvents {
  start(facts: Record<string, unknown>): void;
  /** Messages that stand in the run's state; each is stored once, however often it is told. */
  messages(messages: readonly BaseMessage[]): void;
  /** That the next answer was trimmed, to be told with it. */
  trimmed(trim: TrimmedCalls): void;
  chunk(chunk: AgentChunk): void;
  /** Tells what is still held back. */
  end(): void;
}

/** Frames of subagents come from their own stored events and are not stored a second time. */
const TASK_FRAME = /^task_/;

/** Writes what the lead's graph streams into the run's log. */
export function createLeadEvents({ sink, epoch, modes }: LeadEventsOptions): LeadEvents {
  let count = 0;
  let held: BaseMessage | undefined;
  let trim: Record<string, unknown> = {};

  const tell = (message: BaseMessage) => {
    const type = eventTypeOf(message);
    if (type === null || message.id === undefined) return;
    sink.append({ key: `message:${message.id}`, type, data: { message: toWireMessage(message), ...trim } });
    trim = {};
  };
  const release = () => {
    if (held !== undefined) tell(held);
    held = undefined;
  };
  const takeUpdate = (payload: unknown) => {
    for (const message of lastMessages(payload)) {
      if (message.id !== held?.id) release();
      if (AIMessage.isInstance(message)) held = message;
      else tell(message);
    }
  };
  return {
    start: (facts) => sink.append({ key: eventKeys.runStart, type: "run.start", data: facts }),
    messages: (messages) => messages.forEach(tell),
    trimmed({ dropped, reason }) {
      trim = { dropped_task_calls: { count: dropped, reason } };
    },
    chunk({ mode, namespace, payload }) {
      if (mode === "messages") return;
      if (mode === "updates" && namespace.length === 0) takeUpdate(payload);
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
  if (typeof payload !== "object" || payload === null || !("type" in payload)) return false;
  return typeof payload.type === "string" && TASK_FRAME.test(payload.type);
}

/** The newest message of each node's update; a node that rewrites the history repeats the older ones. */
function lastMessages(payload: unknown): BaseMessage[] {
  if (typeof payload !== "object" || payload === null) return [];
  return Object.values(payload as Record<string, unknown>).flatMap((update) => {
    const messages = messagesOf(update);
    const last = messages.at(-1);
    return last === undefined ? [] : [last];
  });
}

function messagesOf(update: unknown): BaseMessage[] {
  if (Array.isArray(update)) return update.flatMap(messagesOf);
  if (typeof update !== "object" || update === null || !("messages" in update)) return [];
  const { messages } = update;
  return (Array.isArray(messages) ? (messages as unknown[]) : [messages]).filter(isBaseMessage);
}
