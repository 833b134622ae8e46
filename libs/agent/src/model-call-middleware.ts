import type { AgentMiddleware } from "langchain";

import type { ModelConfig, ToolOutputConfig } from "@antler/contracts";
import type { Sandbox } from "@antler/sandbox";

import { createAnswerOutputBudget } from "./middleware/answer-output-budget.ts";
import { createAnswerSettling } from "./middleware/answer-settling.ts";
import { createContextWindow } from "./middleware/context-window.ts";
import { createInputNeutralising } from "./middleware/input-neutralising.ts";
import { modelAttempt } from "./middleware/model-attempt.ts";
import { createModelErrors } from "./middleware/model-errors.ts";
import { createOpenCallClosing } from "./middleware/open-call-closing.ts";
import { createOutputStore } from "./middleware/output-store.ts";
import { createRequestCheck } from "./middleware/request-check.ts";
import { createSingleSystemMessage } from "./middleware/single-system-message.ts";
import { createToolErrors } from "./middleware/tool-errors.ts";
import { createToolOutputBudget } from "./middleware/tool-output-budget.ts";
import type { UsageRecorder } from "./middleware/usage-recorder.ts";
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

/** What surrounds every model and tool call of lead and subagent, outermost first. */
export function modelCallMiddleware(options: ModelCallOptions): AgentMiddleware[] {
  const { lease, model, usage, newId, spent = [], toolOutput, sandbox, toolGate } = options;
  const outputs = createOutputStore({ sandbox, newId, signal: lease.signal });
  return [
    // Outermost of these: what is outside of it, recorders and guards among them, knows answers and results by the ids that they keep.
    createAnswerSettling(newId, spent),
    // Around the errors and the gate, so that whatever text comes of a call is bounded.
    createToolOutputBudget(toolOutput, outputs),
    // Around the retries: one record for each call of the loop, whatever it took.
    usage.middleware,
    // Around the retries: only what has failed for good gets a code.
    createModelErrors(model.name, lease.signal),
    // Around everything that runs a tool, so that nothing it throws ends the execution unless it must.
    createToolErrors(lease.signal),
    // Within the errors and the budget, before the tool: its refusals are results like any other.
    toolGate,
    // First of those that shape the request: those after it find a result behind each call.
    createOpenCallClosing(),
    // After the closing, which puts results behind their calls: it takes the results of each answer together.
    createAnswerOutputBudget(toolOutput, outputs),
    // Before the system message is put together: the system's own words are not marked as input.
    createInputNeutralising({ isRemote: isRemoteTool }),
    // Before the window, which counts the one system message that there then is.
    createSingleSystemMessage(),
    // After everything that makes a request longer.
    createContextWindow(model),
    // After the last change of the request.
    createRequestCheck(),
    ...modelAttempt(model, lease),
  ];
}
