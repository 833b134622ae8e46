import { resolve } from "node:path";
import { performance } from "node:perf_hooks";

import { checkSteps } from "./steps.ts";

const root = resolve(import.meta.dirname, "../..");
const chosen = process.argv.slice(2);
const names = checkSteps.map((step) => step.name);
const unknown = chosen.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`There is no check "${unknown.join('", "')}"; there are: ${names.join(", ")}\n`);
  process.exit(2);
}
const steps = checkSteps.filter((step) => chosen.length === 0 || chosen.includes(step.name));
let failed = 0;

for (const step of steps) {
  const startedAt = performance.now();
  const fault = step.run(root);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  if (fault !== undefined) failed += 1;
  process.stdout.write(`${step.name}: ${fault === undefined ? "passed" : "FAILED"} in ${seconds} s\n`);
  if (fault !== undefined) process.stdout.write(`${fault}\n\n`);
}

process.stdout.write(`${steps.length - failed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
