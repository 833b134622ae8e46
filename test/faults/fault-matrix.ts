/** The parts of vitest's JSON report from which the matrix is made. */
export interface FaultReport {
  readonly testResults: readonly { readonly assertionResults: readonly FaultResult[]; readonly message?: string }[];
}

interface FaultResult {
  readonly ancestorTitles: readonly string[];
  readonly title: string;
  readonly status: string;
  readonly duration?: number | null;
}

export interface FaultMatrix {
  /** One line a case, in columns: outcome, seconds, fault, moment. */
  readonly lines: readonly string[];
  readonly passed: number;
  readonly failed: number;
}

/** The matrix of all cases that ran. A file of which no case ran counts as one failure when it says why. */
export function faultMatrix({ testResults }: FaultReport): FaultMatrix {
  const results = testResults.flatMap((file) => file.assertionResults).filter(hasRun);
  const width = Math.max(0, ...results.map((result) => faultOf(result).length));
  const passed = results.filter(({ status }) => status === "passed").length;
  const broken = testResults.filter((file) => !file.assertionResults.some(hasRun) && (file.message ?? "") !== "");
  return {
    lines: results.map((result) => lineOf(result, width)),
    passed,
    failed: results.length - passed + broken.length,
  };
}

function hasRun({ status }: FaultResult): boolean {
  return status === "passed" || status === "failed";
}

function faultOf({ ancestorTitles }: FaultResult): string {
  return ancestorTitles.join(", ");
}

function lineOf(result: FaultResult, width: number): string {
  const seconds = `${Math.round((result.duration ?? 0) / 1000)} s`.padStart(5);
  return `${result.status}  ${seconds}  ${faultOf(result).padEnd(width)}  ${result.title}`;
}
