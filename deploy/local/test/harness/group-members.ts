import { readdirSync, readFileSync } from "node:fs";

/** The living processes of a process group; one that has ended but was not collected by its parent is not living. */
export function groupMembers(group: number): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      const [state, , processGroup] = readStat(name);
      return state !== undefined && state !== "Z" && Number(processGroup) === group;
    })
    .map(Number);
}

/** Fields of the kernel's status line from the process's state on. */
function readStat(pid: string): readonly string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
}
