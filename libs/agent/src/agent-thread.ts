import { ToolMessage } from "@langchain/core/messages";
import type { StateSnapshot } from "@langchain/langgraph";

import type { AgentThread } from "./compiled-agent.ts";
import type { ThreadState } from "./thread-state.ts";

/** The part of a compiled graph that looks into its checkpoints and adds to them. */
interface CheckpointedGraph {
  getState(config: GraphAddress): Promise<StateSnapshot>;
  updateState(config: GraphAddress, values: Record<string, unknown>, asNode: string): Promise<unknown>;
}

interface GraphAddress {
  readonly configurable: Record<string, unknown>;
}

/** How the graph's configuration names a thread: the agent stands at the root of its checkpoints. */
export function threadAddress(threadId: string): Record<string, unknown> {
  return { thread_id: threadId, checkpoint_ns: "" };
}

export function createAgentThread(graph: CheckpointedGraph): AgentThread {
  const addressOf = (threadId: string) => ({ configurable: threadAddress(threadId) });
  return {
    async addResults(threadId, results) {
      await graph.updateState(addressOf(threadId), { messages: [...results] }, "tools");
    },
    async unfinishedStep(threadId) {
      const snapshot = await graph.getState(addressOf(threadId));
      const results = snapshot.tasks.flatMap(({ result }) => toolMessagesOf(result));
      return { results, slots: results.length === 0 ? {} : slotsOfTools(snapshot.values as Partial<ThreadState>) };
    },
    async messages(threadId) {
      const snapshot = await graph.getState(addressOf(threadId));
      return (snapshot.values as Partial<ThreadState>).messages ?? [];
    },
  };
}

/** The slots beside the messages that tools write; writing a value again into one of them changes nothing. */
function slotsOfTools({ artifacts = [], todos = [], promoted }: Partial<ThreadState>): Partial<ThreadState> {
  return { artifacts, todos, ...(promoted !== undefined && { promoted }) };
}

function toolMessagesOf(result: unknown): ToolMessage[] {
  const { messages } = (result ?? {}) as { readonly messages?: unknown };
  return [messages].flat().filter((message) => ToolMessage.isInstance(message));
}
