import { type RunEvent, taskFrameOf } from "@antler/contracts";

import { GraphChunk, RunEndData, RunStartData } from "./event-payloads.ts";
import { type Frame, numbered } from "./sse-frame.ts";
import { eventNameOf, type StreamView } from "./stream-view.ts";

const MODE_OF_TYPE = {
  "stream.values": "values",
  "stream.updates": "updates",
  "stream.custom": "custom",
} as const;

/** The frames of a stored event for one client, save those of messages, which depend on what was streamed before. */
export function framesOf(event: RunEvent, view: StreamView): readonly Frame[] {
  return numbered(unnumberedFrames(event, view), event.seq);
}

function unnumberedFrames(event: RunEvent, view: StreamView): readonly Frame[] {
  switch (event.type) {
    case "run.start":
      return restartFrames(event);
    case "run.end":
      return endFrames(event.data);
    case "stream.values":
    case "stream.updates":
    case "stream.custom":
      return graphFrames(MODE_OF_TYPE[event.type], event.data, view);
    case "subagent.start":
    case "subagent.step":
    case "subagent.end":
      return taskFrames(event, view);
    case "llm.human.input":
    case "llm.ai.response":
    case "llm.tool.result":
    case "stream.checkpoints":
    case "stream.tasks":
    case "stream.debug":
      return [];
  }
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

function graphFrames(mode: "values" | "updates" | "custom", data: unknown, view: StreamView): readonly Frame[] {
  if (!view.modes.has(mode)) return [];
  const { namespace, chunk } = GraphChunk.parse(data);
  const event = eventNameOf(mode, namespace, view);
  return event === undefined ? [] : [{ event, data: chunk }];
}

function taskFrames(event: RunEvent, view: StreamView): readonly Frame[] {
  const data = view.modes.has("custom") ? taskFrameOf(event) : null;
  return data === null ? [] : [{ event: "custom", data }];
}
