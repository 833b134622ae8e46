import { type AntlerError, ERROR_CODES, isAntlerError } from "@antler/contracts";

import { withoutCredentials } from "./credentials.ts";

/**
 * Starts a process. What `main` throws ends it with exit code 1: an Antler error as one message with code and remedy,
 * anything else with its stack. A start that a drain cuts short is not an error; the lifecycle ends it.
 */
export function runMain(main: () => Promise<void>): void {
  main().catch((error: unknown) => {
    if (isAntlerError(error, "drained")) return;
    process.stderr.write(`${withoutCredentials(describe(error))}\n`, () => process.exit(1));
  });
}

function describe(error: unknown): string {
  if (isAntlerError(error)) return describeKnown(error);
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function describeKnown({ code, message }: AntlerError): string {
  return `${code}: ${message}\n${ERROR_CODES[code].remedy}`;
}
