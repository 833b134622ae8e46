import { spawn } from "node:child_process";

export interface CommandOptions {
  readonly cwd?: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
}

/** Runs a command to its end; rejects with the end of what it printed when it fails or exceeds its time. */
export async function runCommand(file: string, args: readonly string[], options: CommandOptions): Promise<void> {
  const { cwd, environment: env, timeoutMs: timeout } = options;
  const child = spawn(file, args, {
    ...(cwd === undefined ? {} : { cwd }),
    env,
    timeout,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => (output = (output + chunk).slice(-4000)));
  }
  await new Promise<void>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`${file} ${args.join(" ")} ended with ${code ?? signal ?? ""}: ${lastLine(output)}`));
    });
  });
}

function lastLine(output: string): string {
  return output.trimEnd().split("\n").at(-1) ?? "";
}
