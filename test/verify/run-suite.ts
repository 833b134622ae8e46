import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";

import type { Output } from "./count-tests.ts";
import { countFromVitest } from "./count-tests.ts";
import type { Suite } from "./suites.ts";
import { root } from "./suites.ts";

/** Lets the suite write to the terminal as it runs, then reports its seconds and counts. Returns whether it passed. */
export async function runSuite(suite: Suite): Promise<boolean> {
  const startedAt = performance.now();
  const folder = mkdtempSync(join(tmpdir(), "antler-verify-"));
  try {
    const reportPath = join(folder, "report.json");
    const { text, end } = await runCommand([...suite.command, ...reporters(suite, reportPath)]);
    const faults = reportCounts(suite, { text, report: readIfWritten(reportPath) }, performance.now() - startedAt);
    if (end !== 0) faults.push(`ended with ${end}`);
    for (const fault of faults) process.stdout.write(`${suite.name}: ${fault}\n`);
    return faults.length === 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function reporters(suite: Suite, reportPath: string): readonly string[] {
  if (suite.count !== countFromVitest) return [];
  return ["--reporter=default", "--reporter=json", `--outputFile=${reportPath}`];
}

function readIfWritten(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

async function runCommand(args: readonly string[]): Promise<{ readonly text: string; readonly end: number | string }> {
  const child = spawn(process.execPath, ["deploy/local/bootstrap.mjs", ...args], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    process.stdout.write(chunk);
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ text, end: code ?? signal ?? "no exit code" }));
  });
}

/** Prints the seconds and the counts; returns what keeps the suite from having passed. */
function reportCounts(suite: Suite, output: Output, elapsedMs: number): string[] {
  const counts = suite.count(output);
  process.stdout.write(`${suite.name} took ${(elapsedMs / 1000).toFixed(1)} s\n`);
  const { passed, failed, skipped, unexplained } = counts ?? { passed: 0, failed: 0, skipped: 0, unexplained: [] };
  process.stdout.write(`${suite.name}: ${passed} passed, ${failed} failed, ${skipped} skipped\n`);
  const faults = unexplained.map((name) => `skipped without a reason: ${name}`);
  if (failed > 0) faults.push(`${failed} failed`);
  if (counts === undefined) faults.push("said no counts");
  else if (passed === 0) faults.push("nothing passed");
  return faults;
}
