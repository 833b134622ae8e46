import { tool } from "langchain";
import { z } from "zod";

import { answering } from "./answering.ts";
import type { ToolContext } from "./tool-context.ts";

const MAX_CHARS = 50_000;

const schema = z.object({
  description: z.string().describe("Why you read this file, in a few words"),
  path: z.string().describe("Absolute path of the file"),
  start_line: z.int().min(1).optional().describe("First line to read, from 1"),
  end_line: z.int().min(1).optional().describe("Last line to read, inclusive"),
});

/** Reads a text file or some of its lines. */
export function createReadFileTool({ sandbox, signal, readMarks }: ToolContext) {
  return tool(
    ({ path, start_line: startLine, end_line: endLine }) =>
      answering(async () => {
        const range = { ...(startLine !== undefined && { startLine }), ...(endLine !== undefined && { endLine }) };
        const result = await sandbox.readFile(path, { ...range, maxChars: MAX_CHARS, signal });
        if (result.kind === "binary") return `Error: ${path} is a binary file of ${result.sizeBytes} bytes`;
        await readMarks.note(path);
        if (result.text === "") return "(empty)";
        return result.truncated
          ? `${result.text}\n... cut at ${MAX_CHARS} characters; use start_line and end_line to read on`
          : result.text;
      }),
    {
      name: "read_file",
      description: "Read a text file, at most 50,000 characters. Give start_line and end_line to read a part of it.",
      schema,
    },
  );
}
