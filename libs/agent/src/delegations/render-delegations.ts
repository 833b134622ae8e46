import { headOf } from "@antler/contracts";

import type { DelegationEntry } from "./delegation-entry.ts";
import { delegationGuidance } from "./delegation-guidance.ts";
import type { DroppedCalls } from "./dropped-calls.ts";

const HEADER = "## Work already delegated";
const RESULT_MAX_CHARS = 120;

/** Longest block that a request carries, in characters. */
const BLOCK_MAX_CHARS = 6000;

/** Room for the line that says how much is left out. */
const OMISSION_CHARS = 60;

type ShownDrop = Pick<DroppedCalls, "count" | "reason">;

/** What the model is shown of the thread's delegations, the newest first; empty when there is nothing to tell. */
export function renderDelegations(entries: readonly DelegationEntry[], dropped: ShownDrop | null): string {
  const lines = [...(dropped === null ? [] : [droppedLine(dropped)]), ...entries.toReversed().map(entryLine)];
  if (lines.length === 0) return "";
  const fitting = linesThatFit(lines);
  const omitted = lines.length - fitting.length;
  return [HEADER, ...fitting, ...(omitted > 0 ? [`- ${omitted} older delegation entries omitted`] : [])].join("\n");
}

function linesThatFit(lines: readonly string[]): readonly string[] {
  let room = BLOCK_MAX_CHARS - HEADER.length - OMISSION_CHARS;
  const count = lines.findIndex((line) => (room -= line.length + 1) < 0);
  return count === -1 ? lines : lines.slice(0, count);
}

function entryLine(entry: DelegationEntry): string {
  const result = entry.result_brief === undefined ? "" : ` -> ${shown(headOf(entry.result_brief, RESULT_MAX_CHARS))}`;
  const about = `via ${shown(entry.subagent_type)}; ${delegationGuidance(entry)}`;
  return `- [${entry.status}] ${shown(entry.description)} (${about})${result}`;
}

function droppedLine({ count, reason }: ShownDrop): string {
  const calls = count === 1 ? "1 task call of your last answer was" : `${count} task calls of your last answer were`;
  const why =
    reason === "per_run"
      ? "this run may start no more. Do not repeat them."
      : "too many at once. Delegate again what is still needed.";
  return `- ${calls} dropped and never ran: ${why}`;
}

/** A text from elsewhere on one line, unable to open or close a tag. */
function shown(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
