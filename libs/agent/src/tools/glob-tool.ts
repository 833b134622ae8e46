import { tool } from "langchain";
import { z } from "zod";

import { answering } from "./answering.ts";
import type { ToolContext } from "./tool-context.ts";

const MAX_PATHS = 200;

const schema = z.object({
  description: z.string().describe("What you look for, in a few words"),
  pattern: z.string().min(1).describe("Glob pattern relative to path, such as **/*.ts"),
  path: z.string().optional().describe("Absolute path of the directory to search; the workspace by default"),
});

/** Finds files by name. */
export function createGlobTool({ sandbox, signal }: ToolContext) {
  return tool(
    ({ pattern, path }) =>
      answering(async () => {
        const where = path === undefined ? {} : { path };
        const { paths, truncated } = await sandbox.glob(pattern, { ...where, limit: MAX_PATHS, signal });
        if (paths.length === 0) return "No files match";
        return [...paths, ...(truncated ? [`... only the first ${paths.length} are shown`] : [])].join("\n");
      }),
    { name: "glob", description: "Find files by a glob pattern; at most 200 paths are returned.", schema },
  );
}
