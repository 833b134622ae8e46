import type { ProcessPlan } from "./run-process.ts";
import type { VirtualRoot } from "./virtual-roots.ts";

export type ProviderName = "bubblewrap" | "local";

/** What of the host one thread's commands may touch. */
export interface CommandPlace {
  readonly roots: readonly VirtualRoot[];
  /** Host directory for the thread's temporary files. */
  readonly temporary: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface CommandStart {
  readonly command: string;
  /** Where the shell starts: the virtual directory, and the same directory on the host. */
  readonly virtualCwd: string;
  readonly hostCwd: string;
}

export interface CommandProvider {
  readonly name: ProviderName;
  /** Whether a command is kept from the host's files, processes and network. */
  readonly isolated: boolean;
  plan(place: CommandPlace, start: CommandStart): ProcessPlan;
}
