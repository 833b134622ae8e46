import { isAntlerError } from "@antler/contracts";

/** Refusals that a model can act on; they are answers, not failures. */
const REFUSALS = ["path_refused", "invalid_request", "sandbox_unavailable"] as const;

/** Runs a tool; a refusal of the sandbox becomes a text that begins with `Error:`. Anything else is thrown. */
export async function answering(work: () => Promise<string>): Promise<string> {
  try {
    return await work();
  } catch (error) {
    if (isAntlerError(error, ...REFUSALS)) return `Error: ${error.message}`;
    throw error;
  }
}
