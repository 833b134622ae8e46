import { eventKeys, type NewRunEvent, type ToolRefused } from "@antler/contracts";

import type { ToolRefusal } from "../middleware/tool-gate.ts";

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
