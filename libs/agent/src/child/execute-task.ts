import type { BaseMessage } from "@langchain/core/messages";

import { isAntlerError } from "@antler/contracts";
import type { Sandbox } from "@antler/sandbox";

import { detached } from "../detached.ts";
import type { ExecutionDeps } from "../execution-deps.ts";
import { infrastructureFaultIn } from "../execution-fault.ts";
import { serversOf } from "../mcp/mcp-names.ts";
import type { McpTools } from "../mcp/mcp-pool.ts";
import { withMcpTools } from "../mcp/with-mcp-tools.ts";
import type { ChildOutcome, ExecutionLease, TaskToExecute } from "../ports.ts";
import type { ThreadState } from "../thread-state.ts";
import { withSandbox } from "../with-sandbox.ts";
import { type ChildWatch, createChildAgent, createChildWatch } from "./child-agent.ts";
import { childContext } from "./child-context.ts";
import { childMessages } from "./child-messages.ts";
import { cappedTask, type ChildEnding, completedTask, failedTask, partialWork, timedOutTask } from "./child-outcome.ts";
import { createChildToolkit } from "./child-toolkit.ts";
import { type PreparedTask, prepareTask } from "./prepare-task.ts";
import { traceName } from "./trace-name.ts";

/**
 * Executes a claimed task afresh. A time limit is an outcome, with what was said so far as partial work.
 * @throws AntlerError: the lease's other abort reasons, `store_unavailable` or `bus_unavailable`.
 */
export async function executeTask(
  deps: ExecutionDeps,
  task: TaskToExecute,
  lease: ExecutionLease,
): Promise<ChildOutcome> {
  const prepared = await prepareTask(deps, task);
  if ("ending" in prepared) return { ...prepared.ending, usage: null, steps: 0 };
  const { envelope } = prepared;
  const watch = createChildWatch({ config: deps.config, envelope, lease, usage: deps.usage, events: deps.events });
  const ending = await endingOf({ deps, task, lease, watch, ...prepared });
  await deps.events.flush();
  return { ...ending, usage: watch.usage.total(), steps: watch.steps.count() };
}

interface Execution extends PreparedTask {
  readonly deps: ExecutionDeps;
  readonly task: TaskToExecute;
  readonly lease: ExecutionLease;
  readonly watch: ChildWatch;
}

async function endingOf(execution: Execution): Promise<ChildEnding> {
  const { deps, task, lease, envelope, watch, skills } = execution;
  const owner = { tenantId: envelope.identity.tenant_id, threadId: envelope.thread_id };
  const servers = serversOf(deps.config.tools.mcp, envelope.tools);
  try {
    const messages = await detached(() =>
      withSandbox(deps.workspaces, { ...owner, skills: skills.mounts }, (sandbox) =>
        withMcpTools(deps.mcp, { ...owner, servers, signal: lease.signal }, (mcp) =>
          driveChild(execution, sandbox, mcp),
        ),
      ),
    );
    return completedTask(messages, watch.guards.reason.get());
  } catch (error) {
    const spoken = watch.steps.lastAiText();
    if (isAntlerError(lease.signal.reason, "deadline_exceeded"))
      return timedOutTask(partialWork(spoken, watch.written.paths()), task.execution_limit_ms);
    lease.signal.throwIfAborted();
    const fault = infrastructureFaultIn(error);
    if (fault !== undefined) throw fault;
    if (!watch.turns.isReached()) return failedTask(error, spoken);
    return cappedTask(spoken, envelope.subagent.max_turns, watch.guards.reason.get());
  }
}

/** Runs the subagent to its end and returns all its messages. */
async function driveChild(
  { deps, lease, envelope, watch, skills, sections }: Execution,
  sandbox: Sandbox,
  mcp: McpTools,
): Promise<readonly BaseMessage[]> {
  const { config, models, events } = deps;
  const toolkit = createChildToolkit({ envelope, config, sandbox, lease, mcp, events });
  const agent = await createChildAgent({ envelope, config, models, sandbox, lease, watch, toolkit, skills, events });
  const { attempt } = lease;
  const input = {
    messages: childMessages({ envelope, attempt, sections: [...sections, ...toolkit.sections], now: new Date() }),
    sandbox: envelope.sandbox,
    thread_data: envelope.thread_data,
  };
  let messages: readonly BaseMessage[] = input.messages;
  const stream = agent.stream(input, {
    threadId: envelope.thread_id,
    runId: envelope.run_id,
    signal: lease.signal,
    modes: ["values"],
    maxModelCalls: envelope.subagent.max_turns,
    traceName: traceName(envelope.subagent.name),
    context: childContext(envelope),
  });
  for await (const { payload } of stream) messages = (payload as ThreadState).messages;
  return messages;
}
