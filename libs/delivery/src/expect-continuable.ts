import { AntlerError } from "@antler/contracts";
import type { RunRow, Store } from "@antler/store";

/**
 * Checks, before a claimed run begins, that it still goes on from where it was meant to: an answer never reaches
 * another question than its own, however many answers came at once. A run that has a checkpoint has begun already.
 * @throws AntlerError `nothing_to_resume`.
 */
export async function expectContinuable(
  { states }: Pick<Store, "states">,
  run: RunRow,
  base: string | null,
): Promise<void> {
  if (run.head !== null) return;
  if (run.continues !== undefined && run.continues !== base) throw goneOn(run);
  if (run.command == null) return;
  const state = base === null ? undefined : await states.readState(run.thread_id, base);
  if (state === undefined || state.interrupts.length === 0) throw nothingAsked(run);
}

function goneOn({ thread_id: id, command }: RunRow): AntlerError {
  const what = command == null ? "the run was to go on from" : "its answer was for";
  return new AntlerError("nothing_to_resume", `Thread ${id} has gone on since the point that ${what}`);
}

function nothingAsked({ thread_id: id }: RunRow): AntlerError {
  return new AntlerError("nothing_to_resume", `Thread ${id} has no pending interrupt; send input instead`);
}
