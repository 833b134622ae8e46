import type { Config, TaskEnvelope } from "@antler/contracts";
import { newId } from "@antler/platform";
import type { Sandbox } from "@antler/sandbox";

import { type AgentGuards, createAgentGuards } from "../agent-guards.ts";
import type { CompiledAgent } from "../compiled-agent.ts";
import { createAgent } from "../create-agent.ts";
import { createMarkedFailure } from "../middleware/marked-failure.ts";
import { createStepRecorder, type StepRecorder } from "../middleware/step-recorder.ts";
import { summarizationOf } from "../middleware/summarization.ts";
import { createTurnLimit, type TurnLimit } from "../middleware/turn-limit.ts";
import { createUsageRecorder, type UsageRecorder } from "../middleware/usage-recorder.ts";
import { createWrittenFiles, type WrittenFiles } from "../middleware/written-files.ts";
import { modelCallMiddleware } from "../model-call-middleware.ts";
import { chooseModel } from "../models/choose-model.ts";
import type { Models } from "../models/models.ts";
import type { EventSink, ExecutionLease, UsageSink } from "../ports.ts";
import type { LoadedSkills } from "../skills/load-skills.ts";
import type { Toolkit } from "../toolkit.ts";
import { skillActivation } from "./child-toolkit.ts";
import { stepEvent } from "./step-event.ts";

/** What watches over one execution of a subagent. */
export interface ChildWatch {
  readonly steps: StepRecorder;
  readonly usage: UsageRecorder;
  readonly turns: TurnLimit;
  readonly guards: AgentGuards;
  readonly written: WrittenFiles;
}

export interface ChildWatchOptions {
  readonly config: Config;
  readonly envelope: TaskEnvelope;
  readonly lease: ExecutionLease;
  readonly usage: UsageSink;
  readonly events: EventSink;
}

export function createChildWatch({ config, envelope, lease, usage: sink, events }: ChildWatchOptions): ChildWatch {
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
  const { max_turns: maxTurns, token_budget: tokenBudget } = envelope.subagent;
  const guards = createAgentGuards({ loopDetection: config.loop_detection, tokenBudget: tokenBudget ?? null, usage });
  return { steps, usage, guards, turns: createTurnLimit(maxTurns), written: createWrittenFiles() };
}

export interface ChildAgentOptions {
  readonly envelope: TaskEnvelope;
  readonly config: Config;
  readonly models: Models;
  readonly sandbox: Sandbox;
  readonly lease: ExecutionLease;
  readonly watch: ChildWatch;
  readonly toolkit: Toolkit;
  readonly skills: LoadedSkills;
  /** The log of the task's run. */
  readonly events: EventSink;
}

/** The subagent of one task: the same factory as the lead's, without checkpointer and without `task`. */
export async function createChildAgent(options: ChildAgentOptions): Promise<CompiledAgent> {
  const { envelope, config, models, sandbox, lease, watch, toolkit } = options;
  const model = chooseModel(config, envelope.model_name);
  const summaries = { config, models, modelName: model.name, lease, usage: watch.usage };
  return createAgent({
    model: await models.get(model.name),
    tools: toolkit.tools,
    middleware: [
      ...(await summarizationOf({ ...summaries, runId: envelope.run_id })),
      ...toolkit.outer,
      watch.turns.middleware,
      watch.steps.middleware,
      watch.written.middleware,
      createMarkedFailure(),
      ...watch.guards.middleware,
      ...skillActivation(options),
      ...modelCallMiddleware({
        ...{ lease, model, usage: watch.usage, newId, toolGate: toolkit.gate },
        ...{ toolOutput: config.tool_output, sandbox },
      }),
    ],
    systemPrompt: null,
    checkpointer: null,
  });
}
