import { isSetupError } from "./setup-error.ts";

/** Runs a command and ends the process with its exit code; a SetupError is told without a stack. */
export async function runCommandLine(command: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await command();
  } catch (error) {
    if (!isSetupError(error)) throw error;
    process.stderr.write(`antler: ${error.message}\n`);
    process.exitCode = 2;
  }
}
