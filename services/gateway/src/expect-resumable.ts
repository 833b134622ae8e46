import { AntlerError } from "@antler/contracts";

import type { GatewayDeps } from "./gateway-deps.ts";
import { newestState } from "./newest-state.ts";

/** The form of an interrupt's id: an object all of whose keys have it is taken as answers by id. */
const INTERRUPT_ID = /^[0-9a-f]{32}$/;

/**
 * Checks that an answer goes to something that is asked, and returns the checkpoint that asks it.
 * @throws AntlerError `thread_busy` while a run holds the thread, `nothing_to_resume`, or `invalid_request` when it is
 * not clear which question is meant.
 */
export async function expectResumable(
  deps: Pick<GatewayDeps, "runs" | "readState">,
  threadId: string,
  resume: unknown,
): Promise<string> {
  if ((await deps.runs.holderOf(threadId)) !== undefined) throw busy(threadId);
  const state = await newestState(deps, threadId);
  const ids = (state?.interrupts ?? []).map(({ id }) => id);
  if (state === undefined || ids.length === 0) throw nothingToResume(threadId);
  const named = idsIn(resume);
  if (named === null && ids.length > 1)
    throw invalidResume(
      `must be an object of answers by interrupt id, for ${ids.length} are pending: ${ids.join(", ")}`,
    );
  const unknown = named?.filter((id) => !ids.includes(id)) ?? [];
  if (unknown.length > 0)
    throw invalidResume(`names ${unknown.join(", ")}, which is not pending; pending are ${ids.join(", ")}`);
  return state.checkpoint_id;
}

/** The ids that an answer names; null when it is one answer. */
function idsIn(resume: unknown): readonly string[] | null {
  if (typeof resume !== "object" || resume === null || Array.isArray(resume)) return null;
  const keys = Object.keys(resume);
  return keys.length > 0 && keys.every((key) => INTERRUPT_ID.test(key)) ? keys : null;
}

function busy(threadId: string): AntlerError {
  return new AntlerError("thread_busy", `Thread ${threadId} already has an active run`);
}

function nothingToResume(threadId: string): AntlerError {
  return new AntlerError("nothing_to_resume", `Thread ${threadId} has no pending interrupt; send input instead`);
}

function invalidResume(message: string): AntlerError {
  const errors = [{ path: "command.resume", message }];
  return new AntlerError("invalid_request", `The request is not valid: command.resume: ${message}`, {
    details: { errors },
  });
}
