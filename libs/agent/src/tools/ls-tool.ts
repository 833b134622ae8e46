import { tool } from "langchain";
import { z } from "zod";

import { answering } from "./answering.ts";
import type { ToolContext } from "./tool-context.ts";

const schema = z.object({
  description: z.string().describe("Why you list this directory, in a few words"),
  path: z.string().describe("Absolute path of the directory"),
});

/** Lists a directory two levels deep. */
export function createLsTool({ sandbox }: ToolContext) {
  return tool(
    ({ path }) =>
      answering(async () => {
        const { entries, truncated } = await sandbox.list(path, { depth: 2 });
        if (entries.length === 0) return "(empty)";
        const lines = entries.map((entry) => (entry.kind === "directory" ? `${entry.path}/` : entry.path));
        return [...lines, ...(truncated ? ["... more entries are left out"] : [])].join("\n");
      }),
    { name: "ls", description: "List the contents of a directory, up to two levels deep.", schema },
  );
}
