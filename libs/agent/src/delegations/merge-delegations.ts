import type { DelegationEntry } from "./delegation-entry.ts";

/** Entries that a thread remembers: the latest ones. */
const MOST_ENTRIES = 50;

/** Entries by id in the order in which they were first seen. What has ended never goes back to being in progress. */
export function mergeDelegations(
  current: readonly DelegationEntry[] | null | undefined,
  next: readonly DelegationEntry[] | null | undefined,
): DelegationEntry[] {
  const entries = new Map((current ?? []).map((entry) => [entry.id, entry]));
  for (const entry of next ?? []) entries.set(entry.id, updated(entries.get(entry.id), entry));
  return [...entries.values()].slice(-MOST_ENTRIES);
}

function updated(known: DelegationEntry | undefined, next: DelegationEntry): DelegationEntry {
  if (known === undefined) return next;
  if (known.status !== "in_progress" && next.status === "in_progress") return known;
  return { ...next, created_at: known.created_at, ...(known.run_id !== undefined && { run_id: known.run_id }) };
}

const STOPPED = "The run was stopped before this task gave a result";

/** What earlier runs left in progress, once a new message has come: nobody works on it any more. */
export function closeStale(entries: readonly DelegationEntry[], runId: string): DelegationEntry[] {
  return entries.map((entry) =>
    entry.status !== "in_progress" || entry.run_id === runId
      ? entry
      : { ...entry, status: "cancelled", result_brief: STOPPED },
  );
}
