import { tool } from "langchain";
import { z } from "zod";

import type { GrepResult } from "@antler/sandbox";

import { answering } from "./answering.ts";
import type { ToolContext } from "./tool-context.ts";

const MAX_MATCHES = 100;

const schema = z.object({
  description: z.string().describe("What you look for, in a few words"),
  pattern: z.string().min(1).describe("Regular expression, or plain text with literal"),
  path: z.string().optional().describe("Absolute path of the file or directory to search; the workspace by default"),
  glob: z.string().optional().describe("Only files that match, such as *.ts"),
  literal: z.boolean().optional().describe("Take the pattern as plain text"),
  case_sensitive: z.boolean().optional().describe("Tell upper from lower case; false by default"),
});

type GrepInput = z.infer<typeof schema>;

/** Searches the contents of files. */
export function createGrepTool({ sandbox, signal }: ToolContext) {
  return tool(
    (input: GrepInput) => answering(async () => grepText(await sandbox.grep({ ...requestOf(input), signal }))),
    {
      name: "grep",
      description: "Search text files for lines that match a pattern; at most 100 matches are returned.",
      schema,
    },
  );
}

function requestOf({ pattern, path, glob, literal, case_sensitive: caseSensitive }: GrepInput) {
  return {
    pattern,
    limit: MAX_MATCHES,
    ignoreCase: caseSensitive !== true,
    literal: literal === true,
    ...(path !== undefined && { path }),
    ...(glob !== undefined && { glob }),
  };
}

function grepText({ matches, truncated, timedOut }: GrepResult): string {
  const lines = matches.map(({ path, line, text }) => `${path}:${line}: ${text}`);
  if (lines.length === 0 && !timedOut) return "No lines match";
  if (timedOut) return [...lines, "... the search took too long and was stopped"].join("\n");
  return [...lines, ...(truncated ? [`... only the first ${lines.length} matches are shown`] : [])].join("\n");
}
