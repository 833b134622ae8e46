import { checkEnds, checkNumbering, checkSteps } from "./check-log.ts";
import { checkMessageEvents, checkResults, checkTaskResults } from "./check-messages.ts";
import { checkCalls, checkRunRow, checkTaskRows } from "./check-rows.ts";
import { checkUsage } from "./check-usage.ts";
import type { RunSnapshot } from "./run-snapshot.ts";
import type { Violation } from "./violation.ts";

const RULES: readonly ((snapshot: RunSnapshot) => Violation[])[] = [
  checkRunRow,
  checkTaskRows,
  checkCalls,
  checkNumbering,
  checkEnds,
  checkSteps,
  checkUsage,
  checkResults,
  checkTaskResults,
  checkMessageEvents,
];

/**
 * Everything that keeps an accepted run from being whole, however often its workers died: one end of the run and of
 * each task, one result for each call, no event, usage record or message lost or doubled. Empty when all is well.
 */
export function findViolations(snapshot: RunSnapshot): readonly Violation[] {
  return RULES.flatMap((rule) => rule(snapshot));
}
