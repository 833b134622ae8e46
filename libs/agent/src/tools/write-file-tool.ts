import { tool } from "langchain";
import { z } from "zod";

import { answering } from "./answering.ts";
import type { ToolContext } from "./tool-context.ts";

const schema = z.object({
  description: z.string().describe("Why you write this file, in a few words"),
  path: z.string().describe("Absolute path of the file"),
  content: z.string().describe("What the file shall hold"),
  append: z.boolean().optional().describe("Add to the end instead of replacing the file"),
});

/** Writes or appends to a text file. */
export function createWriteFileTool({ sandbox, readMarks }: ToolContext) {
  return tool(
    ({ path, content, append }) =>
      answering(async () => {
        if (append !== true && (await readMarks.isUnseen(path))) return unseenText("write_file", path);
        await sandbox.writeFile(path, content, { append: append === true });
        await readMarks.note(path);
        return "OK";
      }),
    {
      name: "write_file",
      description:
        "Write a text file. Missing directories are made. An existing file must have been read before it is replaced; " +
        "content over 80 KB must be written in parts with append.",
      schema,
    },
  );
}

/** Why a file was not touched, and what to do first. */
export function unseenText(toolName: string, path: string): string {
  return (
    `Error: ${toolName} blocked — ${path} already exists and you have not read its current version. ` +
    "Read it with read_file first, then repeat the call."
  );
}
