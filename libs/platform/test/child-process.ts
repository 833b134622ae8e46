import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

export interface ChildRun {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Objects of the JSON lines written so far. */
  readonly lines: () => Record<string, unknown>[];
  readonly exited: Promise<{ code: number | null; signal: string | null; afterMs: number }>;
}

/** Runs a program, given as text that may import `@antler/platform`, in a process of its own. */
export function runProgram(program: string, args: readonly string[] = []): ChildRun {
  const startedMs = performance.now();
  const options = ["--conditions=antler-dev", "--input-type=module", "--eval", program, ...args];
  const child = spawn(process.execPath, options, { cwd: import.meta.dirname, stdio: ["ignore", "pipe", "pipe"] });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk: Buffer) => (output.stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output.stderr += chunk.toString()));
  const exited = once(child, "close").then(([code, signal]: unknown[]) => ({
    code: code as number | null,
    signal: signal as string | null,
    afterMs: performance.now() - startedMs,
  }));
  const lines = () =>
    output.stdout
      .split("\n")
      .filter((line) => line.startsWith("{") && line.endsWith("}"))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { child, stdout: () => output.stdout, stderr: () => output.stderr, lines, exited };
}
