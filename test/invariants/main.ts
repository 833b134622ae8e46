import { readFileSync } from "node:fs";

import { createLogger, loadConfig, runMain } from "@antler/platform";
import { connectStore } from "@antler/store";

import { findViolations } from "./find-violations.ts";
import { localStoreUrl } from "./local-store.ts";
import { takeSnapshot } from "./run-snapshot.ts";

/** `npm run invariants -- RUN_ID`: judges a run by what is kept of it; exit code 1 when a promise is broken. */
runMain(async () => {
  const [runId] = process.argv.slice(2);
  if (runId === undefined) {
    process.stderr.write("Which run? npm run invariants -- RUN_ID\n");
    process.exitCode = 2;
    return;
  }
  const url = process.env["MONGODB_URL"] ?? localStoreUrl((path) => readFileSync(path, "utf8"));
  const environment = { ...process.env, ...(url !== undefined && { MONGODB_URL: url }) };
  const config = await loadConfig({ environment });
  const store = await connectStore({
    ...config.mongodb,
    logger: createLogger({ service: "invariants", level: "warn" }),
  });
  try {
    const snapshot = await takeSnapshot(store, runId);
    const violations = findViolations(snapshot);
    for (const { rule, id, problem } of violations) process.stdout.write(`${rule} ${id}: ${problem}\n`);
    const { tasks, events, usage } = snapshot;
    const counts = `${tasks.length} tasks, ${events.length} events, ${usage.length} model calls`;
    process.stdout.write(`run ${runId}: ${counts}, ${violations.length} violations\n`);
    process.exitCode = violations.length === 0 ? 0 : 1;
  } finally {
    await store.close();
  }
});
