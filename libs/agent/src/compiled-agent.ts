import type { BaseMessage, ToolMessage } from "@langchain/core/messages";

import type { ThreadState } from "./thread-state.ts";

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

/** The answer to a pending interrupt, or to several by their ids. */
export interface AgentResume {
  readonly resume: unknown;
}

/** What calls of a step that has not ended gave; `addResults` keeps it, new input drops it. */
export interface UnfinishedStep {
  readonly results: readonly ToolMessage[];
  readonly slots: Partial<ThreadState>;
}

/** What an agent's checkpoints hold of a thread. */
export interface AgentThread {
  /** Adds results to the newest checkpoint, as if the tools had given them. */
  addResults(threadId: string, results: readonly ToolMessage[]): Promise<void>;
  unfinishedStep(threadId: string): Promise<UnfinishedStep>;
  /** The messages of the newest checkpoint and of its step that has not ended. */
  messages(threadId: string): Promise<readonly BaseMessage[]>;
}

export interface CompiledAgent extends AgentThread {
  /** Runs the agent; null continues from the checkpoint. */
  stream(input: AgentInput | AgentResume | null, options: AgentStreamOptions): AsyncGenerator<AgentChunk>;
}
