import { once } from "node:events";

import type { Say } from "../report-step.ts";
import type { Stack } from "../stack/stack-options.ts";

/** Prints where the stack answers, and keeps it up until the interrupt. */
export async function keepUp(stack: Stack, interrupt: AbortSignal, print: Say): Promise<number> {
  print(`Antler answers at ${stack.url} (pid ${process.pid}); Ctrl-C stops it`);
  if (stack.isModelReplayed) print("Model answers are replayed: no provider key or OPENAI_BASE_URL is set");
  if (stack.missingSandbox !== undefined) print(`Commands are not isolated: ${stack.missingSandbox}`);
  print(`Try: curl -s -X POST ${stack.url}/threads -H 'content-type: application/json' -d '{}'`);
  if (!interrupt.aborted) await once(interrupt, "abort");
  return 0;
}
