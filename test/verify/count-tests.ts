/** What a suite counted. A skip is explained when the test says why, as `task.meta.skip_reason`. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly unexplained: readonly string[];
}

/** What a finished command left behind: its standard output, and vitest's JSON report when it wrote one. */
export interface Output {
  readonly text: string;
  readonly report: string | undefined;
}

/** Reads the counts of a command; nothing when it did not say. */
export type CountTests = (output: Output) => Counts | undefined;

/** Reads the last line of the form `N passed, M failed` or `N passed, M failed, K skipped`. */
export function countFromText({ text }: Output): Counts | undefined {
  const last = [...text.matchAll(/(\d+) passed, (\d+) failed(?:, (\d+) skipped)?/g)].at(-1);
  if (last === undefined) return undefined;
  const [passed, failed, skipped] = [1, 2, 3].map((group) => Number(last[group] ?? 0)) as [number, number, number];
  return { passed, failed, skipped, unexplained: skipped === 0 ? [] : [`${skipped} skipped without a reason`] };
}

interface VitestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly { readonly name: string; readonly assertionResults: readonly VitestResult[] }[];
}

interface VitestResult {
  readonly fullName: string;
  readonly status: string;
  readonly meta?: { readonly skip_reason?: string };
}

/** Reads vitest's JSON report. A file that could not be collected has no test, so it counts as one failure. */
export function countFromVitest({ report }: Output): Counts | undefined {
  if (report === undefined) return undefined;
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(report) as VitestReport;
  const uncollected = testResults.filter((file) => file.assertionResults.length === 0).length;
  const results = testResults.flatMap((file) => file.assertionResults);
  const skipped = results.filter((result) => result.status !== "passed" && result.status !== "failed");
  const unexplained = skipped.filter((result) => result.meta?.skip_reason === undefined);
  return {
    passed: numPassedTests,
    failed: numFailedTests + uncollected,
    skipped: skipped.length,
    unexplained: unexplained.map((result) => result.fullName),
  };
}
