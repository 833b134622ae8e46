import type { DemoTask } from "./demo-line.ts";
import type { SurveyResult } from "./survey.ts";
import { textTable } from "./view/text-table.ts";

/** The end of the demo for people: answer, files, and what each task took. */
export function resultText({ answer, line }: SurveyResult): string {
  const files = `Report  ${line.report_path ?? "none"}\nCounts  ${line.counts_path ?? "none"}`;
  const table = line.tasks.length === 0 ? "No subagent was started" : textTable(header, line.tasks.map(rowOf));
  const parts = [answer, ...(line.error === undefined ? [files] : []), table];
  return parts
    .flatMap((part) => (part === "" ? [] : ["", part]))
    .concat("")
    .join("\n");
}

const header = ["Subagent", "Status", "Process", "Attempts", "Steps", "Tokens", "Seconds"];

function rowOf(task: DemoTask): readonly string[] {
  const { subagent_type: type, status, pid, attempts, steps, total_tokens: tokens, duration_ms: durationMs } = task;
  const seconds = durationMs === null ? "" : (durationMs / 1000).toFixed(1);
  return [type, status, String(pid ?? ""), String(attempts), String(steps), String(tokens), seconds];
}
