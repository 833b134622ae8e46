import { runSuite } from "./run-suite.ts";
import { chooseSuites, suites } from "./suites.ts";

const { chosen, unknown } = chooseSuites(process.argv.slice(2));

if (unknown.length > 0) {
  const known = suites.map((suite) => suite.name).join(", ");
  process.stderr.write(`Unknown suite ${unknown.join(", ")}; known are: ${known}\n`);
  process.exitCode = 2;
} else {
  const outcomes: boolean[] = [];
  for (const suite of chosen) outcomes.push(await runSuite(suite));
  process.exitCode = outcomes.every(Boolean) ? 0 : 1;
}
