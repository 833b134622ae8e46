import { channel } from "node:diagnostics_channel";

import type { StructuredToolInterface } from "@langchain/core/tools";
import { type BaseCheckpointSaver, Command, START } from "@langchain/langgraph";
import { type AgentMiddleware, createAgent as createLangchainAgent } from "langchain";

import { createAgentThread, threadAddress } from "./agent-thread.ts";
import type { AgentInput, AgentResume, AgentStreamMode, CompiledAgent } from "./compiled-agent.ts";
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
  const stepsPerModelCall = stepsOf(Object.keys(graph.nodes));
  return {
    ...createAgentThread(graph),
    async *stream(input, options) {
      const chunks = await graph.stream(graphInputOf(input), {
        configurable: { ...threadAddress(options.threadId), run_id: options.runId },
        signal: options.signal,
        streamMode: [...options.modes],
        subgraphs: true,
        durability: "sync",
        recursionLimit: (options.maxModelCalls + 1) * stepsPerModelCall,
        ...(options.traceName !== undefined && { runName: options.traceName, tags: [options.traceName] }),
        ...(options.context !== undefined && { context: options.context }),
      });
      for await (const [namespace, mode, payload] of chunks as AsyncIterable<[string[], AgentStreamMode, unknown]>)
        yield { namespace, mode, payload };
    },
  };
}

/** The most steps that a model call costs: from one to the next the graph comes through each of its nodes once. */
function stepsOf(nodes: readonly string[]): number {
  return nodes.filter((name) => name !== START).length;
}

function graphInputOf(input: AgentInput | AgentResume | null) {
  if (input === null) return null;
  if ("resume" in input) return new Command({ resume: input.resume });
  const { carried = {}, ...given } = input;
  return { ...carried, ...given, messages: [...given.messages] };
}
