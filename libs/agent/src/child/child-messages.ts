import { type BaseMessage, HumanMessage, SystemMessage } from "@langchain/core/messages";

import type { TaskEnvelope } from "@antler/contracts";

const EARLIER_WORK =
  "Note: an earlier attempt at this task was interrupted. Files may already hold part of its work; " +
  "look before you repeat anything.";

/** The conversation that a subagent begins with: what it is, with further sections, and what it is asked. */
export function childMessages(
  { subagent, prompt }: TaskEnvelope,
  attempt: number,
  sections: readonly string[] = [],
): BaseMessage[] {
  const task = new HumanMessage(attempt > 1 ? `${prompt}\n\n${EARLIER_WORK}` : prompt);
  const system = [subagent.system_prompt, ...sections].join("\n\n").trim();
  return system === "" ? [task] : [new SystemMessage(system), task];
}
