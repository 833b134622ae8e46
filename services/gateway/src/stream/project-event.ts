import { type RunEvent, type RunEventType, type StreamMode, taskFrameOf } from "@antler/contracts";

import { GraphChunk, RunEndData, RunStartData } from "./event-payloads.ts";
import { type Frame, numbered } from "./sse-frame.ts";
import { eventNameOf, type StreamView } from "./stream-view.ts";

/** Events of the log that are frames of a stream mode. */
const MODE_OF_TYPE: Partial<Record<RunEventType, StreamMode>> = {
  "stream.values": "values",
  "stream.updates": "updates",
  "stream.custom": "custom",
};

/** The frames of a stored event for one client, save those of messages, which depend on what was streamed before. */
export function framesOf(event: RunEvent, view: StreamView): readonly Frame[] {
  return numbered(unnumberedFrames(event, view), event.seq);
}

function unnumberedFrames(event: RunEvent, view: StreamView): readonly Frame[] {
  if (event.type === "run.start") return restartFrames(event);
  if (event.type === "run.end") return endFrames(event.data);
  if (event.category === "subagent") return taskFrames(event, view);
  const mode = MODE_OF_TYPE[event.type];
  return mode === undefined ? [] : graphFrames(mode, event.data, view);
}

/** The first frame of a stream. */
export function metadataFrame(run: { run_id: string; thread_id: string; attempt: number }): Frame {
  return { event: "metadata", data: { run_id: run.run_id, thread_id: run.thread_id, attempt: run.attempt } };
}

/** A later attempt announces itself; the first one was announced when the stream was opened. */
function restartFrames(event: RunEvent): readonly Frame[] {
  const { attempt } = RunStartData.parse(event.data);
  return attempt > 1 ? [metadataFrame({ ...event, attempt })] : [];
}

/** What stands at the end of every stream; a run that failed tells why right before it. */
export function endFrames(data: unknown): readonly Frame[] {
  const { status, stop_reason, error } = RunEndData.parse(data);
  const end: Frame = { event: "end", data: { status, stop_reason } };
  if (error === null) return [end];
  return [{ event: "error", data: { error: error.code, code: error.code, message: error.message } }, end];
}

function graphFrames(mode: StreamMode, data: unknown, view: StreamView): readonly Frame[] {
  if (!view.modes.has(mode)) return [];
  const { namespace, payload } = GraphChunk.parse(data);
  const event = eventNameOf(mode, namespace, view);
  return event === undefined ? [] : [{ event, data: payload }];
}

function taskFrames(event: RunEvent, view: StreamView): readonly Frame[] {
  const data = view.modes.has("custom") ? taskFrameOf(event) : null;
  return data === null ? [] : [{ event: "custom", data }];
}
