import type { TopologyChange } from "@antler/bus";

/** Settings that the server counts in nanoseconds. */
const DURATIONS = new Set(["ack_wait", "max_age", "duplicate_window"]);

/** What was done, a line for each stream and consumer that changed; one line when nothing had to. */
export function linesOf(changes: readonly TopologyChange[]): readonly string[] {
  return changes.length === 0 ? ["Nothing to change: the topology is as configured"] : changes.map(lineOf);
}

function lineOf({ kind, name, action, settings }: TopologyChange): string {
  const changed = Object.entries(settings).map(
    ([setting, { from, to }]) => `${setting} ${valueOf(setting, from)} → ${valueOf(setting, to)}`,
  );
  return `${kind} ${name} ${action}${changed.length === 0 ? "" : `: ${changed.join(", ")}`}`;
}

function valueOf(setting: string, value: unknown): string {
  if (value === undefined) return "unset";
  return DURATIONS.has(setting) && typeof value === "number" ? `${value / 1e9} s` : JSON.stringify(value);
}
