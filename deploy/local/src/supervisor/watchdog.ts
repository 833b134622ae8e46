import { spawn } from "node:child_process";

/**
 * Reads the list of living process groups, one line for each change, and ends the groups of the last line when the
 * pipe closes, which the kernel does for however the supervisor dies. A shell, since it costs one megabyte.
 */
const script = `
groups=
while read -r line; do groups=$line; done
for group in $groups; do kill -TERM "-$group" 2>/dev/null; done
[ -z "$groups" ] || sleep 0.5
for group in $groups; do kill -KILL "-$group" 2>/dev/null; done
exit 0
`;

/** Outlives the supervisor and then ends what the supervisor can no longer end. */
export interface Watchdog {
  /** Process groups that must not outlive the supervisor; replaces the previous list. */
  guard(groups: readonly number[]): void;
  /** Ends the watchdog; it then ends what it still guards. */
  close(): void;
}

/** Starts the watchdog in a session of its own, where no signal meant for the supervisor reaches it. */
export function startWatchdog(): Watchdog {
  const child = spawn("/bin/sh", ["-c", script], { detached: true, stdio: ["pipe", "ignore", "ignore"] });
  // A write that fails means that the watchdog is gone, which is noticed when nothing needs it any more.
  child.stdin.on("error", () => undefined);
  child.on("error", () => undefined);
  child.unref();
  return {
    guard: (groups) => void child.stdin.write(`${groups.join(" ")}\n`),
    close: () => void child.stdin.end(),
  };
}
