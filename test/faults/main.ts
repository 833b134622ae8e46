import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { runVitest } from "../harness/run-vitest.ts";
import { faultMatrix, type FaultReport } from "./fault-matrix.ts";

/** The cases mostly wait for leases to run out, so that two stacks hardly disturb each other. */
const STACKS_AT_ONCE = 2;

/** `npm run test:faults [-- --short]`: injects every fault, judges every run, prints the matrix. */
const root = resolve(import.meta.dirname, "../..");
const args = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), "antler-fault-report-"));
const report = join(folder, "report.json");

try {
  const code = await runVitest(root, [
    ...["--project", "faults", `--maxWorkers=${STACKS_AT_ONCE}`],
    ...["--reporter=default", "--reporter=json", `--outputFile=${report}`],
    ...args.map((arg) => (arg === "--short" ? "--tagsFilter=short" : arg)),
  ]);
  const { lines, passed, failed } = faultMatrix(JSON.parse(await readFile(report, "utf8")) as FaultReport);
  process.stdout.write(["", ...lines, `${passed} passed, ${failed} failed`, ""].join("\n"));
  process.exitCode = code === 0 && failed === 0 && passed > 0 ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
