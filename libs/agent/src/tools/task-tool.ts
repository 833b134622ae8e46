import { tool } from "langchain";
import { z } from "zod";

import type { SubagentOutcome, TaskFrame } from "@antler/contracts";

import { TASK_TOOL_NAME } from "../delegations/task-calls.ts";
import { outcomeMessage } from "./outcome-message.ts";
import { callIdOf, type ToolCallConfig } from "./tool-call-config.ts";

const schema = z.object({
  description: z.string().min(1).describe("A short title of the task, 3 to 5 words; for display"),
  prompt: z.string().min(1).describe("The whole instruction: the subagent sees nothing else of the conversation"),
  subagent_type: z.string().min(1).describe("Which subagent carries it out"),
});

export interface TaskCall extends z.infer<typeof schema> {
  readonly callId: string;
  readonly signal: AbortSignal;
  readonly onFrame: (frame: TaskFrame) => void;
}

export interface TaskToolOptions {
  /** A line for each type that may be chosen. */
  readonly typeLines: readonly string[];
  /** Whether one answer may make several calls. */
  readonly isParallel: boolean;
  /** Carries the call out; resolves with how the task ended. */
  readonly delegate: (call: TaskCall) => Promise<SubagentOutcome>;
  /** Aborts with the run. */
  readonly signal: AbortSignal;
}

/** The lead's way to a subagent. To the model it is a tool like any other; its result is one text. */
export function createTaskTool({ typeLines, isParallel, delegate, signal }: TaskToolOptions) {
  return tool(
    async (input: z.infer<typeof schema>, config: ToolCallConfig) => {
      const callId = callIdOf(config);
      const signals = config.signal === undefined ? signal : AbortSignal.any([signal, config.signal]);
      const onFrame = (frame: TaskFrame) => config.writer?.(frame);
      return outcomeMessage(callId, await delegate({ ...input, callId, signal: signals, onFrame }));
    },
    { name: TASK_TOOL_NAME, description: description(typeLines, isParallel), schema },
  );
}

function description(typeLines: readonly string[], isParallel: boolean): string {
  const [parallelGain, parallelRule] = isParallel ? [PARALLEL_GAIN, PARALLEL_RULE] : ["", ""];
  return `Delegate a task to a subagent: another full agent with a conversation of its own, in the same sandbox and files. Only its final answer comes back.

Delegate only when the benefit outweighs the overhead: ${parallelGain}a type has tools, skills or a model that fit the work, or long exploration would fill your own conversation. That work is complex, has many steps or concerns a large repository is no reason by itself. ${parallelRule}Do not delegate what needs the user.

Types:
${typeLines.join("\n")}`;
}

const PARALLEL_GAIN = "independent parts run in parallel and end sooner, ";
const PARALLEL_RULE =
  "Do not split dependent steps over parallel subagents, and do not let two of them touch the same files or have the same side effects. ";
