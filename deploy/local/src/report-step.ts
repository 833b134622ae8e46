import { performance } from "node:perf_hooks";

/** Says one line to the user; never to standard output, which holds only a command's own result. */
export type Say = (line: string) => void;

/** Says what begins, does `work`, and says how many seconds it took. */
export async function reportStep<T>(say: Say, what: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const elapsed = (): string => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
  say(`antler: ${what} …`);
  try {
    const result = await work();
    say(`antler: ${what} took ${elapsed()}`);
    return result;
  } catch (error) {
    say(`antler: ${what} ended after ${elapsed()}`);
    throw error;
  }
}
