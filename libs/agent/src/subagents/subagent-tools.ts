import { TASK_TOOL_NAME } from "../delegations/task-calls.ts";
import { narrowTools, type ToolScope, toolsInScope } from "../tools/tool-policy.ts";
import type { SubagentType } from "./built-in-subagents.ts";

/**
 * The tools of a subagent by two filters of which each narrows: the lead's scope and the type's own lists. `task` is
 * never among them. What skills allow narrows them once those are loaded.
 */
export function subagentTools(type: Pick<SubagentType, "tools" | "deniedTools">, scope: ToolScope): string[] {
  return narrowTools(toolsInScope(scope), { allowed: type.tools, denied: [...type.deniedTools, TASK_TOOL_NAME] });
}
