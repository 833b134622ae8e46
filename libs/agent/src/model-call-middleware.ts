import type { AgentMiddleware } from "langchain";

import type { ModelConfig, ToolOutputConfig } from "@antler/contracts";
import type { Sandbox } from "@antler/sandbox";

import { createAnswerSettling } from "./middleware/answer-settling.ts";
import { createContextWindow } from "./middleware/context-window.ts";
import { createExecutionGuard } from "./middleware/execution-guard.ts";
import { createInputNeutralising } from "./middleware/input-neutralising.ts";
import { createModelErrors } from "./middleware/model-errors.ts";
import { createModelRetry } from "./middleware/model-retry.ts";
import { createOpenCallClosing } from "./middleware/open-call-closing.ts";
import { createRequestCheck } from "./middleware/request-check.ts";
import { createRetryAfterWait } from "./middleware/retry-after-wait.ts";
import { createSingleSystemMessage } from "./middleware/single-system-message.ts";
import { createToolErrors } from "./middleware/tool-errors.ts";
import { createToolOutputBudget } from "./middleware/tool-output-budget.ts";
import type { UsageRecorder } from "./middleware/usage-recorder.ts";
import { createWholeAnswer } from "./middleware/whole-answer.ts";
import type { ExecutionLease } from "./ports.ts";
import { isRemoteTool } from "./remote-tools.ts";

export interface ModelCallOptions {
  readonly lease: ExecutionLease;
  readonly model: ModelConfig;
  readonly usage: UsageRecorder;
  readonly newId: () => string;
  /** Ids of tool calls that must not occur again. */
  readonly spent?: Iterable<string>;
  readonly toolOutput: ToolOutputConfig;
  /** Takes outputs that are too long for the conversation. */
  readonly sandbox: Pick<Sandbox, "writeFile">;
  /** Refuses calls of tools that the agent does not have. */
  readonly toolGate: AgentMiddleware;
}

/**
 * What surrounds every model and tool call of lead and subagent, outermost first. The order matters: ids are settled
 * before anything outside sees an answer, a retry repeats only the call itself, and the guard is the last to look before each call.
 */
export function modelCallMiddleware(options: ModelCallOptions): AgentMiddleware[] {
  const { lease, model, usage, newId, spent = [], toolOutput, sandbox, toolGate } = options;
  return [
    createAnswerSettling(newId, spent),
    createToolOutputBudget({ config: toolOutput, sandbox, newId, signal: lease.signal }),
    usage.middleware,
    createModelErrors(model.name, lease.signal),
    createToolErrors(lease.signal),
    toolGate,
    createOpenCallClosing(),
    createInputNeutralising({ isRemote: isRemoteTool }),
    createSingleSystemMessage(),
    createContextWindow(model),
    createRequestCheck(),
    createModelRetry(model.max_retries, lease),
    createRetryAfterWait(lease.signal),
    createWholeAnswer(model.provider),
    createExecutionGuard(lease),
  ];
}
