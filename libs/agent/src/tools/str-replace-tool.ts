import { tool } from "langchain";
import { z } from "zod";

import { answering } from "./answering.ts";
import type { ToolContext } from "./tool-context.ts";
import { unseenText } from "./write-file-tool.ts";

const schema = z.object({
  description: z.string().describe("Why you change this file, in a few words"),
  path: z.string().describe("Absolute path of the file"),
  old_str: z.string().min(1).describe("The text to replace, exactly as it stands in the file"),
  new_str: z.string().describe("The text to put in its place"),
  replace_all: z.boolean().optional().describe("Replace every occurrence instead of the first"),
});

/** Replaces text in a file. */
export function createStrReplaceTool({ sandbox, readMarks }: ToolContext) {
  return tool(
    ({ path, old_str: oldText, new_str: newText, replace_all: all }) =>
      answering(async () => {
        if (await readMarks.isUnseen(path)) return unseenText("str_replace", path);
        const { replacements } = await sandbox.replaceInFile(path, oldText, newText, { all: all === true });
        if (replacements === 0) return `Error: String to replace not found in file: ${path}`;
        await readMarks.note(path);
        return "OK";
      }),
    {
      name: "str_replace",
      description: "Replace text in a file that was read before: the first occurrence, or all with replace_all.",
      schema,
    },
  );
}
