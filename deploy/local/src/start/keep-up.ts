import { once } from "node:events";

import type { Say } from "../report-step.ts";
import type { Stack } from "../stack/stack-options.ts";

export interface KeepUp {
  readonly print: Say;
  /** What the stack was started with; servers that it names are not told again. */
  readonly environment: NodeJS.ProcessEnv;
}

/** Prints where the stack answers, and keeps it up until the interrupt. */
export async function keepUp(stack: Stack, interrupt: AbortSignal, { print, environment }: KeepUp): Promise<number> {
  print(`Antler answers at ${stack.url} (pid ${process.pid}); Ctrl-C stops it`);
  print(
    stack.isModelReplayed
      ? "Model answers are replayed: neither OPENAI_API_KEY, OPENAI_BASE_URL nor ANTHROPIC_API_KEY is set"
      : "Model answers come from the provider that the environment names",
  );
  if (!environment["NATS_URL"]) print(`NATS_URL=${stack.natsUrl}`);
  if (!environment["MONGODB_URL"]) print(`MONGODB_URL=${stack.mongoUrl}`);
  if (stack.missingSandbox !== undefined) print(`Commands are not isolated: ${stack.missingSandbox}`);
  print(`Try: curl -s -X POST ${stack.url}/threads -H 'content-type: application/json' -d '{}'`);
  if (!interrupt.aborted) await once(interrupt, "abort");
  print("Stopping; what is in work goes on at the next start");
  return 0;
}
