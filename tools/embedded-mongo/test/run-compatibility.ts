/**
 * Runs the compatibility checks: against the server at MONGODB_URL when set, else against an embedded server that is
 * started for it. Prints each failure and, last, `N passed, M failed`; the exit code is 1 when any check failed.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ALL_GROUPS } from "./compatibility/all-groups.ts";
import type { Outcome } from "./compatibility/run-checks.ts";
import { runChecks } from "./compatibility/run-checks.ts";
import { startServerProcess } from "./server-process.ts";

async function checkEmbedded(): Promise<Outcome> {
  const dataDir = await mkdtemp(join(tmpdir(), "embedded-mongo-"));
  try {
    const server = await startServerProcess(dataDir);
    try {
      return await runChecks(server.url, ALL_GROUPS);
    } finally {
      await server.end("SIGTERM");
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

const url = process.env["MONGODB_URL"];
const outcome = url === undefined || url === "" ? await checkEmbedded() : await runChecks(url, ALL_GROUPS);
for (const { name, error } of outcome.failures) {
  process.stdout.write(`FAILED ${name}\n  ${error instanceof Error ? error.message : String(error)}\n`);
}
process.stdout.write(`${String(outcome.passed)} passed, ${String(outcome.failures.length)} failed\n`);
if (outcome.failures.length > 0) process.exitCode = 1;
