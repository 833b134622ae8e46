import { tool } from "langchain";
import { z } from "zod";

import type { CommandResult } from "@antler/sandbox";

import { auditCommand } from "../command-audit/audit-command.ts";
import { answering } from "./answering.ts";
import type { ToolContext } from "./tool-context.ts";

const schema = z.object({
  description: z.string().describe("Why you run this command, in a few words"),
  command: z.string().min(1).describe("The command line for the shell; use absolute paths"),
});

/** Runs a shell command in the sandbox. */
export function createBashTool({ sandbox, signal, commandTimeoutMs }: ToolContext) {
  return tool(
    ({ command }) =>
      answering(async () => {
        const verdict = auditCommand(command);
        if (verdict.risk === "high") return `Command blocked: ${verdict.reason}. Nothing was run; find another way.`;
        const result = await sandbox.run({ command, signal, timeoutMs: commandTimeoutMs });
        const text = bashText(result, commandTimeoutMs);
        return verdict.risk === "none" ? text : `${text}\n[Warning: ${verdict.reason}]`;
      }),
    {
      name: "bash",
      description:
        "Run a command in a fresh shell inside the sandbox. Standard output and standard error are returned together, " +
        "at most 20,000 characters with the middle left out, and the exit code when it is not 0.",
      schema,
    },
  );
}

/** What the model reads of a command: its output, and at the end how it ended unless it ended well. */
function bashText(result: CommandResult, timeoutMs: number): string {
  const output = result.output.trimEnd();
  const footer = footerOf(result, timeoutMs);
  if (footer === "") return output === "" ? "(no output)" : output;
  return output === "" ? footer : `${output}\n${footer}`;
}

function footerOf({ timedOut, signal, exitCode }: CommandResult, timeoutMs: number): string {
  if (timedOut) return `Error: Command timed out after ${Math.round(timeoutMs / 1000)} seconds and was killed`;
  if (signal !== null) return `Killed by signal: ${signal}`;
  return exitCode === 0 ? "" : `Exit Code: ${String(exitCode)}`;
}
