import { type BaseMessage, HumanMessage, SystemMessage } from "@langchain/core/messages";

import type { TaskEnvelope } from "@antler/contracts";

import { dateNote } from "../messages/date-note.ts";

const EARLIER_WORK =
  "Note: an earlier attempt at this task was interrupted. Files may already hold part of its work; " +
  "look before you repeat anything.";

export interface ChildBeginning {
  readonly envelope: Pick<TaskEnvelope, "subagent" | "prompt">;
  /** From 1. */
  readonly attempt: number;
  /** What follows the type's prompt: skills, then tools. */
  readonly sections: readonly string[];
  readonly now: Date;
}

/**
 * The conversation that a subagent begins with: what it is, with all sections and the date in one system message, and
 * what it is asked. With neither prompt nor section there is no system message.
 */
export function childMessages({ envelope, attempt, sections, now }: ChildBeginning): BaseMessage[] {
  const { subagent, prompt } = envelope;
  const task = new HumanMessage(attempt > 1 ? `${prompt}\n\n${EARLIER_WORK}` : prompt);
  const parts = [subagent.system_prompt, ...sections].map((part) => part.trim()).filter((part) => part !== "");
  return parts.length === 0 ? [task] : [new SystemMessage([...parts, dateNote(now)].join("\n\n")), task];
}
