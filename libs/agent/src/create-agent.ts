import { channel } from "node:diagnostics_channel";

import { type BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { StructuredToolInterface } from "@langchain/core/tools";
import { type BaseCheckpointSaver, Command } from "@langchain/langgraph";
import { type AgentMiddleware, createAgent as createLangchainAgent } from "langchain";

import type { AgentModel } from "./models/agent-model.ts";
import { ThreadState } from "./thread-state.ts";

export interface AgentSpec {
  readonly model: AgentModel;
  readonly tools: readonly StructuredToolInterface[];
  readonly middleware: readonly AgentMiddleware[];
  /** Null when the system message stands in the initial state. */
  readonly systemPrompt: string | null;
  /** Null for a one-shot agent: nothing is saved, nothing is inherited from an agent around it. */
  readonly checkpointer: BaseCheckpointSaver | null;
}

export type AgentStreamMode = "values" | "updates" | "messages" | "custom";

export interface AgentStreamOptions {
  readonly threadId: string;
  readonly runId: string;
  readonly signal: AbortSignal;
  readonly modes: readonly AgentStreamMode[];
  readonly maxModelCalls: number;
  /** Name and tag of the agent in traces. */
  readonly traceName?: string;
  /** What tools and middlewares read as the runtime's context. */
  readonly context?: Readonly<Record<string, unknown>>;
}

export interface AgentChunk {
  readonly mode: AgentStreamMode;
  readonly namespace: readonly string[];
  readonly payload: unknown;
}

/** What the state of an agent is begun with. */
export interface AgentInput {
  readonly messages: readonly BaseMessage[];
  readonly sandbox: { readonly sandbox_id: string };
  readonly thread_data: NonNullable<ThreadState["thread_data"]>;
  /** What a step that had not ended wrote into other slots. */
  readonly carried?: Partial<ThreadState>;
}

/** What calls of a step that has not ended gave; `addResults` keeps it, new input drops it. */
export interface UnfinishedStep {
  readonly results: readonly ToolMessage[];
  readonly slots: Partial<ThreadState>;
}

/** The answer to a pending interrupt, or to several by their ids. */
export interface AgentResume {
  readonly resume: unknown;
}

export interface CompiledAgent {
  /** Runs the agent; null continues from the checkpoint. */
  stream(input: AgentInput | AgentResume | null, options: AgentStreamOptions): AsyncGenerator<AgentChunk>;
  /** Adds results to the newest checkpoint, as if the tools had given them. */
  addResults(threadId: string, results: readonly ToolMessage[]): Promise<void>;
  unfinishedStep(threadId: string): Promise<UnfinishedStep>;
  /** The messages of the newest checkpoint and of its step that has not ended. */
  messages(threadId: string): Promise<readonly BaseMessage[]>;
}

/** A model call costs at most four steps: the hook before it, the model, the hook after it, the tools. */
const STEPS_PER_MODEL_CALL = 4;

/** Node's diagnostics channel on which each agent that is made is told, as its spec. */
export const AGENT_CREATED = "antler.agent.created";
const created = channel(AGENT_CREATED);

/** The one factory of agents. A lead and a subagent differ only in the data of their spec. */
export function createAgent(spec: AgentSpec): CompiledAgent {
  created.publish(spec);
  const { graph } = createLangchainAgent({
    model: spec.model,
    tools: [...spec.tools],
    middleware: spec.middleware,
    stateSchema: ThreadState,
    checkpointer: spec.checkpointer ?? false,
    ...(spec.systemPrompt !== null && { systemPrompt: spec.systemPrompt }),
  });
  const configurableOf = (threadId: string) => ({ thread_id: threadId, checkpoint_ns: "" });
  return {
    async *stream(input, options) {
      const chunks = await graph.stream(graphInputOf(input), {
        configurable: { ...configurableOf(options.threadId), run_id: options.runId },
        signal: options.signal,
        streamMode: [...options.modes],
        subgraphs: true,
        durability: "sync",
        recursionLimit: (options.maxModelCalls + 1) * STEPS_PER_MODEL_CALL,
        ...(options.traceName !== undefined && { runName: options.traceName, tags: [options.traceName] }),
        ...(options.context !== undefined && { context: options.context }),
      });
      for await (const [namespace, mode, payload] of chunks as AsyncIterable<[string[], AgentStreamMode, unknown]>)
        yield { namespace, mode, payload };
    },
    async addResults(threadId, results) {
      await graph.updateState({ configurable: configurableOf(threadId) }, { messages: [...results] }, "tools");
    },
    async unfinishedStep(threadId) {
      const snapshot = await graph.getState({ configurable: configurableOf(threadId) });
      const results = snapshot.tasks.flatMap(({ result }) => toolMessagesOf(result));
      return { results, slots: results.length === 0 ? {} : slotsOfTools(snapshot.values as Partial<ThreadState>) };
    },
    async messages(threadId) {
      const snapshot = await graph.getState({ configurable: configurableOf(threadId) });
      return (snapshot.values as Partial<ThreadState>).messages ?? [];
    },
  };
}

function graphInputOf(input: AgentInput | AgentResume | null) {
  if (input === null) return null;
  if ("resume" in input) return new Command({ resume: input.resume });
  const { carried = {}, ...given } = input;
  return { ...carried, ...given, messages: [...given.messages] };
}

/** The slots beside the messages that tools write; writing a value again into one of them changes nothing. */
function slotsOfTools({ artifacts = [], todos = [], promoted }: Partial<ThreadState>): Partial<ThreadState> {
  return { artifacts, todos, ...(promoted !== undefined && { promoted }) };
}

function toolMessagesOf(result: unknown): ToolMessage[] {
  const { messages } = (result ?? {}) as { readonly messages?: unknown };
  return [messages].flat().filter((message) => ToolMessage.isInstance(message));
}
