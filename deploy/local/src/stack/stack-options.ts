import type { Say } from "../report-step.ts";
import type { ProcessSnapshot } from "../supervisor/supervised-process.ts";
import type { ModelStandIn } from "./model-choice.ts";
import type { ServiceChoice } from "./service-specs.ts";

export interface StackOptions {
  /** The repository, whose sources are run. */
  readonly root: string;
  /** Where data, logs and fetched tools are kept; `.antler` of the repository by default. */
  readonly folder?: string;
  /** The environment of everything that is started. NATS_URL and MONGODB_URL name servers that are used instead. */
  readonly environment: NodeJS.ProcessEnv;
  /** Path of antler.yaml; the repository's own by default, or ANTLER_CONFIG. */
  readonly configPath?: string;
  /** Port of the gateway; any free one by default. */
  readonly port?: number;
  /** Whether the output of every process is shown, prefixed with its name, besides being logged. */
  readonly verbose?: boolean;
  readonly services?: readonly ServiceChoice[];
  readonly modelStandIn?: ModelStandIn;
  /** How long a service may take to drain after SIGTERM; 90 s by default, more than its own bound of 60 s with what it closes. */
  readonly drainMs?: number;
  readonly say: Say;
  /** Aborting it while the stack starts ends the start and everything started so far. */
  readonly signal?: AbortSignal;
}

/** A running stack. */
export interface Stack {
  /** Base URL of the gateway. */
  readonly url: string;
  readonly natsUrl: string;
  readonly mongoUrl: string;
  /** Whether the model's words are replayed, since no provider is configured. */
  readonly isModelReplayed: boolean;
  /** Why commands of subagents may not be isolated: bubblewrap is missing; undefined when it is there. */
  readonly missingSandbox: string | undefined;
  processes(): readonly ProcessSnapshot[];
  /** Stops the services, then the servers; keeps their data. Safe to call twice. */
  stop(): Promise<void>;
  /** Kills everything at once. The next start continues with the data. */
  kill(): void;
}
