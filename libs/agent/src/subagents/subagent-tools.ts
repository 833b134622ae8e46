import { narrowTools, type ToolScope, toolsInScope } from "../tools/tool-policy.ts";
import type { SubagentType } from "./built-in-subagents.ts";
import { TASK_TOOL_NAME } from "./limit-task-calls.ts";

/**
 * The tools of a subagent by three filters of which each narrows: the lead's scope, the type's own lists, and what its
 * skills allow, where null means that they allow all. `task` is never among them.
 */
export function subagentTools(
  type: Pick<SubagentType, "tools" | "deniedTools">,
  scope: ToolScope,
  skillTools: readonly string[] | null = null,
): string[] {
  const ofType = { allowed: type.tools, denied: [...type.deniedTools, TASK_TOOL_NAME] };
  return narrowTools(narrowTools(toolsInScope(scope), ofType), { allowed: skillTools, denied: [] });
}
