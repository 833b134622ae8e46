import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** What to start: a program, its arguments and its whole environment. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly environment: NodeJS.ProcessEnv;
}

export interface Launched {
  /** Also the id of its process group. Undefined when the program could not be started. */
  readonly pid: number | undefined;
  /** Why and how the process ended; never rejects. */
  readonly ended: Promise<string>;
  /** Calls back with each line of standard output from now on. */
  onLine(listener: (line: string) => void): void;
  /** Asks the process to end; what it has started is left to it, since it may need that until it ends. */
  ask(): void;
  /** Sends a signal to the whole process group; one that is gone is fine. */
  signal(name: NodeJS.Signals): void;
}

/** Starts a command in a process group of its own, so that Ctrl-C in the terminal reaches only the supervisor. */
export function launch(command: Command, onOutput: (line: string) => void): Launched {
  const { file, args, cwd, environment } = command;
  const child = spawn(file, args, { cwd, env: environment, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const output = createInterface({ input: child.stdout, crlfDelay: Infinity });
  output.on("line", onOutput);
  createInterface({ input: child.stderr, crlfDelay: Infinity }).on("line", onOutput);
  const ended = new Promise<string>((resolve) => {
    child.on("error", (error) => resolve(`could not be started: ${error.message}`));
    child.on("exit", (code, signal) =>
      resolve(signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`),
    );
  });
  return {
    pid: child.pid,
    ended,
    onLine: (listener) => void output.on("line", listener),
    ask: () => void child.kill("SIGTERM"),
    signal: (name) => signalGroup(child.pid, name),
  };
}

/** Sends a signal to a process group; one that is gone is fine. */
function signalGroup(group: number | undefined, name: NodeJS.Signals): void {
  if (group === undefined) return;
  try {
    process.kill(-group, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
