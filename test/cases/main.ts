import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { runVitest } from "../harness/run-vitest.ts";
import { BEHAVIOURS } from "./behaviours.ts";
import { judgeBehaviours, type TestResult } from "./judge-behaviours.ts";
import { filesNaming } from "./test-files.ts";

interface VitestReport {
  readonly testResults: readonly { readonly assertionResults: readonly TestResult[] }[];
}

/** `npm run test:cases`: runs every test that names a behaviour, and says which behaviours are shown. */
const root = resolve(import.meta.dirname, "../..");
const folder = await mkdtemp(join(tmpdir(), "antler-cases-"));
const report = join(folder, "report.json");

try {
  await runVitest(root, [
    ...["--project", "test", "--testNamePattern", "DF-[A-Z]", "--exclude", "test/cases/**"],
    ...["--reporter=dot", "--reporter=json", `--outputFile=${report}`],
    ...(await filesNaming("DF-", root)),
  ]);
  const { testResults } = JSON.parse(await readFile(report, "utf8")) as VitestReport;
  const named = testResults
    .flatMap((file) => file.assertionResults)
    .filter(({ fullName }) => /DF-[A-Z]/.test(fullName));
  const { lines, passed, failed } = judgeBehaviours(BEHAVIOURS, named);
  process.stdout.write(["", ...lines, `${passed} passed, ${failed} failed`, ""].join("\n"));
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
