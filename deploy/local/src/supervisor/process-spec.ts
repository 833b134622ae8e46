import type { Command, Launched } from "./launch.ts";

/** How to run one process of the stack. */
export interface ProcessSpec {
  readonly name: string;
  readonly readyWithinMs: number;
  /** The command for a start; `port` is the one it served before, which a restart keeps. */
  readonly command: (port: number | undefined) => Command;
  /** Resolves with the served port once the process is ready; rejects when `signal` aborts. */
  readonly ready: (launched: Launched, signal: AbortSignal) => Promise<number>;
}
