import { spawn } from "node:child_process";
import { constants } from "node:os";
import { join } from "node:path";

/** Runs vitest once with the given arguments; without a project among them, the one of `npm test`. */
export async function runVitest(root: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const project = args.some((arg) => arg.startsWith("--project")) ? [] : ["--project", "test"];
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const child = spawn(process.execPath, [vitest, "run", ...project, ...args], { cwd: root, env, stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code, signal) => resolve(code ?? 128 + (signal === null ? 1 : constants.signals[signal])));
  });
}
