import { type BaseMessage, SystemMessage } from "@langchain/core/messages";
import { type AgentMiddleware, createMiddleware, summarizationMiddleware } from "langchain";

import type { Config, ModelConfig, SummarizationConfig } from "@antler/contracts";

import { extractDelegations } from "../delegations/extract-delegations.ts";
import type { AgentModel } from "../models/agent-model.ts";
import { chooseModel } from "../models/choose-model.ts";
import type { Models } from "../models/models.ts";
import type { ExecutionLease } from "../ports.ts";
import { DelegationsState } from "../thread-state.ts";
import { attempted, modelAttempt } from "./model-attempt.ts";
import type { UsageRecorder } from "./usage-recorder.ts";

export interface SummarizationOptions {
  readonly config: Pick<Config, "models" | "summarization">;
  readonly models: Models;
  /** Configured name of the agent's model; it writes the summaries unless another one is named for that. */
  readonly modelName: string;
  readonly lease: ExecutionLease;
  readonly usage: Pick<UsageRecorder, "record">;
  readonly runId: string;
}

/** langchain's middleware; its own types are of another major version of zod. */
const summarizer = summarizationMiddleware as unknown as (options: object) => { readonly beforeModel: BeforeModel };

type BeforeModel = (state: object, runtime: object) => Promise<{ readonly messages: BaseMessage[] } | undefined>;

/** The middleware that summarises, where summaries are switched on. */
export async function summarizationOf(options: SummarizationOptions): Promise<AgentMiddleware[]> {
  const { config, models, modelName } = options;
  if (!config.summarization.enabled) return [];
  const settings = chooseModel(config, config.summarization.model ?? modelName);
  return [createSummarization(await models.get(settings.name), settings, options)];
}

/**
 * Replaces the older part of a long conversation by a summary, as langchain's middleware does, and keeps what must
 * outlive it: the system message of a subagent, what the thread has delegated, and the whole history when no summary
 * was written.
 */
function createSummarization(model: AgentModel, settings: ModelConfig, options: SummarizationOptions): AgentMiddleware {
  const { runId, config } = options;
  const writer = summaryWriter(model, settings, options);
  const { beforeModel } = summarizer({
    model: writer.model,
    trigger: triggersOf(config.summarization),
    keep: { messages: config.summarization.keep_messages },
    trimTokensToSummarize: tokensToSummarize(config.summarization, settings),
  });
  return createMiddleware({
    name: "Summarization",
    stateSchema: DelegationsState,
    beforeModel: async (state, runtime) => {
      writer.begin();
      const update = await beforeModel(state, runtime);
      const [removal, summary, ...kept] = update?.messages ?? [];
      if (removal === undefined || summary === undefined || !writer.hasWritten()) return;
      const system = state.messages.filter((message) => SystemMessage.isInstance(message));
      return {
        messages: [removal, ...system, summary, ...kept],
        delegations: extractDelegations(state.messages, { runId, now: new Date().toISOString() }),
      };
    },
  });
}

interface SummaryWriter {
  readonly model: AgentModel;
  begin(): void;
  /**
   * Whether the model has given a summary since it was begun: langchain's middleware puts a failure, and that there
   * was nothing to ask, into the words of the summary.
   */
  hasWritten(): boolean;
}

/** The model that summarises: attempted like every other call, and counted. */
function summaryWriter(model: AgentModel, settings: ModelConfig, options: SummarizationOptions): SummaryWriter {
  const { lease, usage } = options;
  const attempts = modelAttempt(settings, lease);
  let hasWritten = false;
  const invoke: AgentModel["invoke"] = async (input, config) => {
    const call = () => model.invoke(input, { ...config, signal: lease.signal });
    const answer = await attempted(attempts, call);
    await usage.record(answer);
    hasWritten = true;
    return answer;
  };
  return {
    model: { invoke } as unknown as AgentModel,
    begin() {
      hasWritten = false;
    },
    hasWritten: () => hasWritten,
  };
}

/** Room in the window for the words that ask for the summary, in tokens. */
const ASKING_TOKENS = 1000;

/** The request is one message that no part can be left out of; so what it is made from is bounded before. */
function tokensToSummarize({ trim_tokens: most }: SummarizationConfig, settings: ModelConfig): number {
  const { context_window: window, max_tokens: answer = 0 } = settings;
  return window === undefined ? most : Math.max(1, Math.min(most, window - answer - ASKING_TOKENS));
}

function triggersOf({ trigger_messages: messages, trigger_tokens: tokens }: SummarizationConfig) {
  return [...(messages === null ? [] : [{ messages }]), ...(tokens === null ? [] : [{ tokens }])];
}
