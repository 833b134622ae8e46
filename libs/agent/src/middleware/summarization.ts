import { type BaseMessage, SystemMessage } from "@langchain/core/messages";
import { type AgentMiddleware, createMiddleware, summarizationMiddleware } from "langchain";

import type { SummarizationConfig } from "@antler/contracts";

import { extractDelegations } from "../delegations/extract-delegations.ts";
import type { AgentModel } from "../models/agent-model.ts";
import type { Models } from "../models/models.ts";
import type { ExecutionLease } from "../ports.ts";
import { DelegationsState } from "../thread-state.ts";
import type { UsageRecorder } from "./usage-recorder.ts";

export interface SummarizationOptions {
  readonly config: SummarizationConfig;
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
  if (!config.enabled) return [];
  return [createSummarization(await models.get(config.model ?? modelName), options)];
}

/**
 * Replaces the older part of a long conversation by a summary, as langchain's middleware does, and keeps what must
 * outlive it: the system message of a subagent, what the thread has delegated, and the whole history when the summary
 * could not be written.
 */
function createSummarization(model: AgentModel, options: SummarizationOptions): AgentMiddleware {
  const { config, runId } = options;
  const watched = watchedModel(model, options);
  const { beforeModel } = summarizer({
    model: watched.model,
    trigger: triggersOf(config),
    keep: { messages: config.keep_messages },
    trimTokensToSummarize: config.trim_tokens,
  });
  return createMiddleware({
    name: "Summarization",
    stateSchema: DelegationsState,
    beforeModel: async (state, runtime) => {
      const update = await beforeModel(state, runtime);
      const [removal, summary, ...kept] = update?.messages ?? [];
      if (removal === undefined || summary === undefined || watched.hasFailed()) return;
      const system = state.messages.filter((message) => SystemMessage.isInstance(message));
      return {
        messages: [removal, ...system, summary, ...kept],
        delegations: extractDelegations(state.messages, { runId, now: new Date().toISOString() }),
      };
    },
  });
}

interface WatchedModel {
  readonly model: AgentModel;
  /** Whether its latest call failed: langchain's middleware puts a failure into the words of the summary. */
  hasFailed(): boolean;
}

/** The model that summarises, under the lease and counted like every other call. */
function watchedModel(model: AgentModel, { lease, usage }: SummarizationOptions): WatchedModel {
  let failed = false;
  const invoke: AgentModel["invoke"] = async (input, config) => {
    failed = true;
    lease.assertHeld();
    const answer = await model.invoke(input, { ...config, signal: lease.signal });
    await usage.record(answer);
    failed = false;
    return answer;
  };
  return { model: { invoke } as unknown as AgentModel, hasFailed: () => failed };
}

function triggersOf({ trigger_messages: messages, trigger_tokens: tokens }: SummarizationConfig) {
  return [...(messages === null ? [] : [{ messages }]), ...(tokens === null ? [] : [{ tokens }])];
}
