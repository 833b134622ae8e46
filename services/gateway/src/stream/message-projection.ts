import type { LiveSignal, RunEvent } from "@antler/contracts";

import { LoggedMessage } from "./event-payloads.ts";
import { EMPTY_MESSAGE, type PartialMessage, remainderOf, withDelta } from "./message-assembly.ts";
import { type Frame, numbered } from "./sse-frame.ts";
import { eventNameOf, type StreamView } from "./stream-view.ts";

/** Frames of messages for one client. It remembers what it streamed of unfinished messages, and nothing else. */
export interface MessageProjection {
  /** Frames of a token delta; none for a message that is finished already. */
  delta(signal: LiveSignal): readonly Frame[];
  /** Leaves a delta out, and with it the later ones of its message: the rest of it comes when it is finished. */
  skip(signal: LiveSignal): void;
  /** Frames of a finished message of the log. */
  finished(event: RunEvent): readonly Frame[];
}

export function createMessageProjection(view: StreamView): MessageProjection {
  const partials = new Map<string, PartialMessage>();
  const closedIds = new Set<string>();

  return {
    delta({ namespace, message, metadata }) {
      const id = message["id"];
      if (typeof id !== "string" || closedIds.has(id)) return [];
      const partial = withDelta(partials.get(id) ?? EMPTY_MESSAGE, message);
      const isFirst = !partials.has(id);
      partials.set(id, partial);
      const whole = { ...message, content: partial.content };
      return [
        ...tupleFrames({ namespace, message, metadata }, view),
        ...(isFirst ? announcementFrames({ namespace, message, metadata }, view) : []),
        ...messageFrames("messages/partial", { namespace, message: whole, metadata }, view),
      ];
    },

    skip({ message }) {
      if (typeof message["id"] === "string") closedIds.add(message["id"]);
    },

    finished(event) {
      if (event.type !== "llm.ai.response" && event.type !== "llm.tool.result") return [];
      const logged = LoggedMessage.parse(event.data);
      const id = logged.message.id;
      const partial = id === undefined ? undefined : partials.get(id);
      if (id !== undefined) {
        partials.delete(id);
        closedIds.add(id);
      }
      const tuple = partial === undefined ? logged : { ...logged, message: remainderOf(partial, logged.message) };
      const frames = [
        ...tupleFrames(tuple, view),
        ...(partial === undefined ? announcementFrames(logged, view) : []),
        ...messageFrames("messages/complete", logged, view),
      ];
      return numbered(frames, event.seq);
    },
  };
}

function tupleFrames({ namespace, message, metadata }: LiveSignal, view: StreamView): readonly Frame[] {
  const event = view.modes.has("messages-tuple") ? eventNameOf("messages", namespace, view) : undefined;
  return event === undefined ? [] : [{ event, data: [message, metadata] }];
}

function announcementFrames({ namespace, message, metadata }: LiveSignal, view: StreamView): readonly Frame[] {
  const event = view.modes.has("messages") ? eventNameOf("messages/metadata", namespace, view) : undefined;
  const id = message["id"];
  return event === undefined || typeof id !== "string" ? [] : [{ event, data: { [id]: { metadata } } }];
}

function messageFrames(
  name: "messages/partial" | "messages/complete",
  { namespace, message }: LiveSignal,
  view: StreamView,
): readonly Frame[] {
  const event = view.modes.has("messages") ? eventNameOf(name, namespace, view) : undefined;
  return event === undefined ? [] : [{ event, data: [message] }];
}
