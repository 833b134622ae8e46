import { WORKSPACE_PATH } from "../survey-brief.ts";
import { type Exchange, pathsIn, quote, type Reply, resultsOf } from "./conversation.ts";

/** The task by which this subagent is known. */
export const STRUCTURE_TASK = "Describe the structure of the workspace and read the file that explains it best.";

/** Lists, reads one file that it found, and quotes both. */
export function structureReply(exchanges: readonly Exchange[]): Reply {
  const [listing] = resultsOf(exchanges, "ls");
  if (listing === undefined) return { text: "I look at the directories first.", calls: lookAround };
  const file = explainingFile(resultsOf(exchanges, "glob"));
  const [content] = resultsOf(exchanges, "read_file");
  if (content === undefined && file !== undefined) return { text: `I read ${file}.`, calls: [readStart(file)] };
  return { text: findings(listing, file, content) };
}

const lookAround = [
  { tool: "ls", args: { description: "List the workspace", path: WORKSPACE_PATH } },
  {
    tool: "glob",
    args: { description: "Find documents", pattern: "**/*.{md,txt,rst}", path: WORKSPACE_PATH },
  },
  { tool: "glob", args: { description: "Find files", pattern: "**/*", path: WORKSPACE_PATH } },
];

/** A README, the higher the better; else the first document, else the first file. */
function explainingFile(globs: readonly string[]): string | undefined {
  const paths = globs.flatMap(pathsIn);
  const readmes = paths.filter((path) => /\/readme[^/]*$/i.test(path));
  return readmes.toSorted((one, other) => one.split("/").length - other.split("/").length)[0] ?? paths[0];
}

export function readStart(path: string) {
  return {
    tool: "read_file",
    args: { description: "Read the beginning", path, start_line: 1, end_line: 40 },
  };
}

function findings(listing: string, file: string | undefined, content: string | undefined): string {
  const read = file === undefined || content === undefined ? "" : `\n\n\`${file}\` begins:\n\n${quote(content, 6)}`;
  return `The upper levels hold:\n\n${quote(listing, 12)}${read}`;
}
