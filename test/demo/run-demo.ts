import { spawn } from "node:child_process";
import { resolve } from "node:path";

/** The line that the demo prints last with `--json`. */
export interface DemoLine {
  readonly run_id: string;
  readonly thread_id: string;
  readonly status: string;
  readonly model: string;
  readonly tasks: readonly DemoTask[];
  readonly lead_pid: number;
  readonly counts_path: string;
  readonly report_path: string;
  readonly trace_id: string;
}

export interface DemoTask {
  readonly task_id: string;
  readonly subagent_type: string;
  readonly status: string;
  readonly attempts: number;
  readonly runner_id: string;
  readonly pid: number;
  readonly started_at: string;
  readonly finished_at: string;
  readonly duration_ms: number;
  readonly steps: number;
  readonly total_tokens: number;
}

export interface DemoEnd {
  readonly exitCode: number | null;
  readonly lines: readonly string[];
  readonly errors: string;
}

/** Runs the demo as a user does, on `workspace`, with replayed answers whatever keys this environment holds. */
export async function runDemo(workspace: string): Promise<DemoEnd> {
  const keys = new Set(["OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY"]);
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !keys.has(name)));
  const child = spawn("npm", ["run", "demo", "--", "--workspace", workspace, "--json"], {
    cwd: resolve(import.meta.dirname, "../.."),
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (output += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (errors += chunk));
  return new Promise((settle, reject) => {
    child.on("error", reject);
    child.on("close", (exitCode) => settle({ exitCode, lines: output.trimEnd().split("\n"), errors }));
  });
}
