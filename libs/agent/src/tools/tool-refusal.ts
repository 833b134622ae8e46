import { ToolMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";

import { eventKeys, headOf, type NewRunEvent, type ToolRefused } from "@antler/contracts";

/** Longest name of a refused call that is repeated, in characters. */
const NAME_MAX_CHARS = 128;

/** A call that was not carried out, as the audit is told of it. */
export type ToolRefusal = Omit<ToolRefused, "caller">;

/** The call as it may be repeated: a model may call anything by any name. */
export function toolRefusal({ name, id = "" }: ToolCall, reason: ToolRefusal["reason"]): ToolRefusal {
  return { tool_name: headOf(name.toWellFormed(), NAME_MAX_CHARS), tool_call_id: id, reason };
}

/** The answer that the model gets instead of a result. */
export function refusalMessage({ tool_name: name, tool_call_id }: ToolRefusal, content: string): ToolMessage {
  return new ToolMessage({ tool_call_id, name, status: "error", content });
}

export interface RefusedCaller {
  /** The run or task whose agent made the call. */
  readonly ownerId: string;
  readonly taskId?: string;
  readonly caller: string;
}

/** The audit event of a call that was not carried out; the same call leaves one, however often it is delivered. */
export function refusedEvent(refusal: ToolRefusal, { ownerId, taskId, caller }: RefusedCaller): NewRunEvent {
  const data: ToolRefused = { ...refusal, caller };
  const key = eventKeys.toolRefused(ownerId, refusal.tool_call_id);
  return { key, type: "tool.refused", data, ...(taskId !== undefined && { task_id: taskId }) };
}
