import { COUNTS_PATH, REPORT_PATH } from "../survey-brief.ts";
import { type Exchange, type Reply, resultsOf, type ToolUse } from "./conversation.ts";
import { COUNTING_TASK } from "./counting-subagent.ts";
import { ENTRY_POINTS_TASK } from "./entry-points-subagent.ts";
import { STRUCTURE_TASK } from "./structure-subagent.ts";
import { countInWords, countsTable, findCounts, languagesInWords } from "./survey-counts.ts";

/** Delegates, waits for the results, reads the counts, writes the report, answers. */
export function leadReply(exchanges: readonly Exchange[]): Reply {
  const findings = resultsOf(exchanges, "task");
  if (findings.length === 0) return { text: "I let three subagents survey the workspace.", calls: delegations };
  const [read] = resultsOf(exchanges, "read_file");
  if (read === undefined) return { text: "I read the counts.", calls: [readCounts] };
  const counts = findCounts(read);
  if (counts === undefined) return { text: `There are no counts to report. Reading them gave: ${read}` };
  const [written] = resultsOf(exchanges, "write_file");
  if (written === undefined)
    return { text: "I write the report.", calls: [writeReport(countsTable(counts), findings)] };
  return {
    text: `The workspace holds ${countInWords(counts)}: ${languagesInWords(counts)}. The report tells more.`,
  };
}

function delegate(subagentType: string, description: string, prompt: string): ToolUse {
  return { tool: "task", args: { description, prompt, subagent_type: subagentType } };
}

const delegations = [
  delegate("bash", "Count files and lines", COUNTING_TASK),
  delegate("general-purpose", "Describe the structure", STRUCTURE_TASK),
  delegate("general-purpose", "Find entry points", ENTRY_POINTS_TASK),
];

const readCounts: ToolUse = { tool: "read_file", args: { description: "Read the counts", path: COUNTS_PATH } };

function writeReport(table: string, [, structure = "", entryPoints = ""]: readonly string[]): ToolUse {
  const sections = [
    "# Survey of the workspace",
    table,
    "A line is a newline character, as `wc -l` counts them: a last line without one does not count.",
    "## Structure",
    withoutPreamble(structure),
    "## Entry points and open work",
    withoutPreamble(entryPoints),
  ];
  const content = `${sections.join("\n\n")}\n`;
  return { tool: "write_file", args: { description: "Write the report", path: REPORT_PATH, content } };
}

function withoutPreamble(finding: string): string {
  return finding.replace(/^Task Succeeded[^.]*\. Result: /, "");
}
