/** Where the survey leaves its results, as the agents see it. */
export const WORKSPACE_PATH = "/mnt/user-data/workspace";
export const COUNTS_PATH = "/mnt/user-data/outputs/counts.json";
export const REPORT_PATH = "/mnt/user-data/outputs/report.md";

const countsForm = '{"files": N, "lines": N, "languages": {"Python": {"files": N, "lines": N}, …}}';

/** What the demo asks of the lead. */
export const SURVEY_REQUEST = `Survey the files in ${WORKSPACE_PATH} and write a report.

In your first answer delegate to three subagents at the same time, with three calls of the task tool:
1. a bash subagent that counts files and lines by language with shell commands and writes ${COUNTS_PATH} as one line of
   JSON of this form: ${countsForm}. A line is a newline character, as wc -l counts them. Every regular file counts;
   what belongs to no known language is "Other". Names may hold spaces, line breaks and any other character.
2. a general-purpose subagent that describes the structure and reads the file that explains it best;
3. a general-purpose subagent that finds the entry points and the open work (TODO, FIXME) and reads what matters most.

Then read ${COUNTS_PATH} and write ${REPORT_PATH}: a table of languages with files and lines whose last row is the
total, with exactly the numbers of ${COUNTS_PATH}, and below it what the other two subagents found. Answer with the
totals and the path of the report.`;
