import type { StructuredToolInterface } from "@langchain/core/tools";

import type { McpTools } from "../mcp/mcp-pool.ts";
import type { Delegate, EventSink, ExecutionLease } from "../ports.ts";
import type { DelegationLimits } from "../subagents/delegation-limits.ts";
import { createToolkit, type Toolkit } from "../toolkit.ts";
import { createLeadTools } from "../tools/lead-tools.ts";
import { createTaskTool } from "../tools/task-tool.ts";
import { createTools } from "../tools/tool-catalog.ts";
import { refusedEvent } from "../tools/tool-refusal.ts";
import { delegateTask } from "./delegate-task.ts";
import { subagentTypeLines } from "./lead-prompt.ts";
import type { LeadScope } from "./lead-scope.ts";

export interface LeadToolOptions {
  readonly scope: LeadScope;
  readonly lease: ExecutionLease;
  readonly delegate: Delegate;
  readonly limits: DelegationLimits;
  readonly todos: readonly StructuredToolInterface[];
  readonly mcp: McpTools;
  /** The run's log. */
  readonly events: EventSink;
}

/** The tools of a lead: those of its scope, and beside the policy `task` and what speaks with the user. */
export function createLeadToolkit(options: LeadToolOptions): Toolkit {
  const { scope, lease, todos, mcp, events } = options;
  const { config, sandbox } = scope;
  return createToolkit({
    names: scope.tools,
    own: createTools(scope.tools, { config, sandbox, signal: lease.signal }),
    beside: [...(scope.canDelegate ? [taskTool(options)] : []), ...todos, ...createLeadTools(sandbox)],
    mcp,
    isSearchEnabled: config.tools.tool_search.enabled,
    onRefused: (refusal) => events.append(refusedEvent(refusal, { ownerId: scope.run._id, caller: "lead" })),
  });
}

function taskTool({ scope, lease, delegate, limits: { maxConcurrent, maxTotal } }: LeadToolOptions) {
  return createTaskTool({
    typeLines: subagentTypeLines(scope),
    isParallel: maxConcurrent > 1,
    signal: lease.signal,
    delegate: (call) => delegateTask(call, { scope, maxTotal, delegate }),
  });
}
