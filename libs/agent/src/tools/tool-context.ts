import type { WebFetchConfig } from "@antler/contracts";
import type { Sandbox } from "@antler/sandbox";

import type { ReadMarks } from "./read-marks.ts";

/** What the file and command tools of one execution share. */
export interface ToolContext {
  readonly sandbox: Sandbox;
  /** Aborts with the execution. */
  readonly signal: AbortSignal;
  readonly commandTimeoutMs: number;
  readonly readMarks: ReadMarks;
  readonly webFetch: WebFetchConfig;
}
