import { narrowTools, type ToolScope, toolsInScope } from "../tools/tool-policy.ts";
import type { SubagentType } from "./built-in-subagents.ts";
import { TASK_TOOL_NAME } from "./limit-task-calls.ts";

/** The tools of a subagent: the lead's scope, then the type's own lists. Each filter narrows; `task` is never among them. */
export function subagentTools(type: SubagentType, scope: ToolScope): string[] {
  return narrowTools(toolsInScope(scope), { allowed: type.tools, denied: [...type.deniedTools, TASK_TOOL_NAME] });
}
