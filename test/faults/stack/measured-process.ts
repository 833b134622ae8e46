import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const probe = new URL("memory-probe.mjs", import.meta.url);
export const MEBIBYTE = 1024 ** 2;

/** What a process holds right after a collection. */
export interface Measured {
  readonly rss: number;
  readonly heapUsed: number;
  readonly external: number;
  /** Timers that keep its event loop alive. */
  readonly timers: number;
  /** The port at the other end of each of its connections. */
  readonly peerPorts: readonly number[];
}

/** What a process must be started with so that `measureProcess` can ask it by that path. */
export function probedEnvironment(path: string): Record<string, string> {
  return { MEMORY_PROBE: path, NODE_OPTIONS: `--expose-gc --import ${fileURLToPath(probe)}` };
}

export async function measureProcess(path: string): Promise<Measured> {
  return JSON.parse(await text(connect(path))) as Measured;
}

/** Says what was measured, in the output of the test. */
export function reportGrowth(what: string, bytes: number, limitBytes: number): void {
  const inMebibytes = (value: number) => (value / MEBIBYTE).toFixed(1);
  process.stdout.write(`${what}: resident memory grew by ${inMebibytes(bytes)} of ${inMebibytes(limitBytes)} MiB\n`);
}
