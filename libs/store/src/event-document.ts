import { AntlerError, categoryOf, type NewRunEvent, type RunEvent } from "@antler/contracts";

import type { EventDocument } from "./collections.ts";

/**
 * Largest `data` of one event as JSON text; MongoDB refuses documents of 16 MB. It is more than a checkpoint may have,
 * so that what a run goes on from is in its log too.
 */
export const EVENT_MAX_BYTES = 14 * 1024 * 1024;

/** An event as it will be stored, before it has its number. */
export type EventDraft = Omit<EventDocument, "seq">;

export interface LogAddress {
  readonly runId: string;
  readonly threadId: string;
}

/** Throws `document_too_large` above {@link EVENT_MAX_BYTES}. */
export function draftOf({ runId, threadId }: LogAddress, event: NewRunEvent): EventDraft {
  return {
    run_id: runId,
    key: event.key,
    thread_id: threadId,
    ...(event.task_id !== undefined && { task_id: event.task_id }),
    type: event.type,
    category: categoryOf(event.type),
    data: boundedJson(event),
    created_at: new Date(),
  };
}

export function eventOf(document: EventDocument): RunEvent {
  return {
    run_id: document.run_id,
    seq: document.seq,
    key: document.key,
    thread_id: document.thread_id,
    ...(document.task_id !== undefined && { task_id: document.task_id }),
    type: document.type,
    category: document.category,
    data: JSON.parse(document.data) as RunEvent["data"],
    created_at: document.created_at.toISOString(),
  };
}

function boundedJson({ key, data }: NewRunEvent): string {
  const text = JSON.stringify(data);
  const bytes = Buffer.byteLength(text);
  if (bytes <= EVENT_MAX_BYTES) return text;
  const message = `Event ${key} has ${bytes} bytes of data, more than ${EVENT_MAX_BYTES}: store large contents in a file`;
  throw new AntlerError("document_too_large", message);
}
