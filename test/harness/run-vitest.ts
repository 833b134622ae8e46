import { spawn } from "node:child_process";
import { once } from "node:events";

/** Runs vitest on the repository at `root`, on the terminal of this process; a signal to this process ends it too. */
export async function runVitest(
  root: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<number | null> {
  const main = ["--conditions=antler-dev", "deploy/local/src/run-tests/main.ts"];
  const child = spawn(process.execPath, [...main, ...args], { cwd: root, env, stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
  const [code] = (await once(child, "exit")) as [number | null];
  return code;
}
