import type { Config, TaskEnvelope } from "@antler/contracts";
import { newId } from "@antler/platform";
import type { Sandbox } from "@antler/sandbox";

import { type CompiledAgent, createAgent } from "../create-agent.ts";
import { createStepRecorder, type StepRecorder } from "../middleware/step-recorder.ts";
import { createTurnLimit, type TurnLimit } from "../middleware/turn-limit.ts";
import { createUsageRecorder, type UsageRecorder } from "../middleware/usage-recorder.ts";
import { modelCallMiddleware } from "../model-call-middleware.ts";
import { chooseModel } from "../models/choose-model.ts";
import type { Models } from "../models/models.ts";
import type { EventSink, ExecutionLease, UsageSink } from "../ports.ts";
import { createReadMarks } from "../tools/read-marks.ts";
import { createTools } from "../tools/tool-catalog.ts";
import { stepEvent } from "./step-event.ts";

/** What watches over one execution of a subagent. */
export interface ChildWatch {
  readonly steps: StepRecorder;
  readonly usage: UsageRecorder;
  readonly turns: TurnLimit;
}

export interface ChildWatchOptions {
  readonly envelope: TaskEnvelope;
  readonly lease: ExecutionLease;
  readonly usage: UsageSink;
  readonly events: EventSink;
}

export function createChildWatch({ envelope, lease, usage: sink, events }: ChildWatchOptions): ChildWatch {
  const usage = createUsageRecorder({
    sink,
    ownerId: envelope.task_id,
    epoch: lease.epoch,
    runId: envelope.run_id,
    taskId: envelope.task_id,
    caller: `subagent:${envelope.subagent.name}`,
    modelName: envelope.model_name,
  });
  const steps = createStepRecorder({
    append: (message, index) => events.append(stepEvent(message, { envelope, lease, index, usage: usage.total() })),
    flush: () => events.flush(),
  });
  return { steps, usage, turns: createTurnLimit(envelope.subagent.max_turns) };
}

export interface ChildAgentOptions {
  readonly envelope: TaskEnvelope;
  readonly config: Config;
  readonly models: Models;
  readonly sandbox: Sandbox;
  readonly lease: ExecutionLease;
  readonly watch: ChildWatch;
}

/** The subagent of one task: the same factory as the lead's, without checkpointer and without `task`. */
export async function createChildAgent(options: ChildAgentOptions): Promise<CompiledAgent> {
  const { envelope, config, sandbox, lease, watch } = options;
  const model = chooseModel(config, envelope.model_name);
  return createAgent({
    model: await options.models.get(model.name),
    tools: createTools(envelope.tools, {
      sandbox,
      signal: lease.signal,
      commandTimeoutMs: config.sandbox.command_timeout_seconds * 1000,
      readMarks: createReadMarks(sandbox),
    }),
    middleware: [
      watch.turns.middleware,
      watch.steps.middleware,
      ...modelCallMiddleware({ lease, model, usage: watch.usage, newId }),
    ],
    systemPrompt: null,
    checkpointer: null,
  });
}
