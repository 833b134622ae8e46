import { WORKSPACE_PATH } from "../survey-brief.ts";
import { type Exchange, pathsIn, quote, type Reply, resultsOf } from "./conversation.ts";
import { readStart } from "./structure-subagent.ts";

/** The task by which this subagent is known. */
export const ENTRY_POINTS_TASK = "Find the entry points and the open work of the workspace and read what matters most.";

/** Searches, reads one file that it found, and quotes what the tools said. */
export function entryPointsReply(exchanges: readonly Exchange[]): Reply {
  const [openWork] = resultsOf(exchanges, "grep");
  if (openWork === undefined) return { text: "I search for entry points and open work.", calls: search };
  const entryPoints = resultsOf(exchanges, "glob").flatMap(pathsIn);
  const file = entryPoints[0];
  const [content] = resultsOf(exchanges, "read_file");
  if (content === undefined && file !== undefined) return { text: `I read ${file}.`, calls: [readStart(file)] };
  const findings = [entryPointsInWords(entryPoints), ...readInWords(file, content), openInWords(openWork)];
  return { text: findings.join("\n\n") };
}

const search = [
  {
    tool: "glob",
    args: { description: "Find entry points", pattern: "**/{main,index,app,cli,server}.*", path: WORKSPACE_PATH },
  },
  { tool: "grep", args: { description: "Find open work", pattern: "\\b(TODO|FIXME)\\b", path: WORKSPACE_PATH } },
];

function entryPointsInWords(paths: readonly string[]): string {
  if (paths.length === 0) return "No file is named like an entry point (main, index, app, cli, server).";
  const listed = paths.slice(0, 10).map((path) => `- \`${path}\``);
  return `Files named like an entry point, the first ${listed.length}:\n\n${listed.join("\n")}`;
}

function readInWords(file: string | undefined, content: string | undefined): readonly string[] {
  return file === undefined || content === undefined ? [] : [`\`${file}\` begins:\n\n${quote(content, 6)}`];
}

function openInWords(result: string): string {
  return `A search for TODO and FIXME gave:\n\n${quote(result, 8)}`;
}
