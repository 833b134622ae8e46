import { COUNTS_PATH } from "../survey-brief.ts";
import { type Exchange, type Reply, resultsOf } from "./conversation.ts";
import { COUNTING_COMMAND } from "./counting-command.ts";
import { countInWords, findCounts, languagesInWords } from "./survey-counts.ts";

/** The task by which this subagent is known. */
export const COUNTING_TASK = `Count the files and lines of the workspace by language and write ${COUNTS_PATH}.`;

/** Runs one real command and reports what it printed. */
export function countingReply(exchanges: readonly Exchange[]): Reply {
  const output = resultsOf(exchanges, "bash").at(-1);
  if (output === undefined) return { text: "I count with find, cat and wc.", calls: [countingCall] };
  const counts = findCounts(output);
  if (counts === undefined) return { text: `The counting command did not print counts. It printed:\n${output}` };
  return {
    text: `Counted ${countInWords(counts)}: ${languagesInWords(counts)}. Written to ${COUNTS_PATH}:\n${JSON.stringify(counts)}`,
  };
}

const countingCall = {
  tool: "bash",
  args: { description: "Count files and lines by language", command: COUNTING_COMMAND },
};
