import { AIMessage, type BaseMessage } from "@langchain/core/messages";

import type { AgentInput, AgentResume, CompiledAgent } from "../compiled-agent.ts";
import { turnOf } from "../messages/human-input.ts";
import { ASK_CLARIFICATION_NAME } from "../tools/ask-clarification-tool.ts";
import { closingMessages } from "./close-interrupted-calls.ts";
import type { LeadDrive } from "./lead-drive.ts";
import { inputMessages } from "./lead-input.ts";

/** Where a lead begins. */
export interface LeadBeginning {
  /** Null continues from the checkpoint. */
  readonly input: AgentInput | AgentResume | null;
  /** What earlier claims of the run have saved of this turn. */
  readonly earlier: readonly BaseMessage[];
}

/**
 * What the graph begins with. A fresh run gets its input, before it the results that calls of an interrupted run on
 * the thread still lack, or the answer with which it goes on from where an earlier run waits. A run that has a
 * checkpoint of its own gets null: its input stands there already.
 */
export async function beginLead(
  { deps, run, lease, events, sandbox }: LeadDrive,
  agent: CompiledAgent,
): Promise<LeadBeginning> {
  events.start({ run_id: run._id, thread_id: run.thread_id, attempt: lease.attempt });
  const saved = await agent.messages(run.thread_id);
  if (run.head !== null) {
    const earlier = run.command == null ? turnOf(saved) : messagesSinceAnswer(saved);
    events.messages(earlier);
    return { input: null, earlier };
  }
  if (run.command != null) return { input: { resume: run.command.resume }, earlier: [] };
  if (run.input === null) return { input: null, earlier: [] };
  const { results: finished, slots: carried } = await agent.unfinishedStep(run.thread_id);
  const closing = await closingMessages({ messages: saved, finished, endedCalls: deps.endedCalls }, 0);
  const messages = [...closing, ...inputMessages(run.input, [...saved, ...closing])];
  events.messages(messages);
  const input = { messages, sandbox: { sandbox_id: sandbox.id }, thread_data: sandbox.threadData, carried };
  return { input, earlier: [] };
}

/** What was said from the answers to the last questions on, of a run that began with those. */
function messagesSinceAnswer(messages: readonly BaseMessage[]): readonly BaseMessage[] {
  const asking = messages.findLastIndex(
    (message) =>
      AIMessage.isInstance(message) && message.tool_calls?.some(({ name }) => name === ASK_CLARIFICATION_NAME) === true,
  );
  return messages.slice(asking + 1);
}
