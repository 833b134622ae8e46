import { AntlerError, CHECKER_POOL, type Config, LEAD_POOL } from "@antler/contracts";

/**
 * The pools whose tasks a process takes: all that take tasks, or those that `restriction` names, separated by commas.
 * @throws AntlerError `config_invalid` for a name that is no pool of tasks.
 */
export function taskPools({ pools }: Pick<Config, "pools">, restriction: string | undefined): string[] {
  const known = Object.keys(pools).filter((name) => name !== LEAD_POOL && name !== CHECKER_POOL);
  const wanted = (restriction ?? "").split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()]));
  const unknown = wanted.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    const message = `ANTLER_POOLS names ${unknown.join(", ")}; pools that take tasks are ${known.join(", ")}`;
    throw new AntlerError("config_invalid", message);
  }
  return wanted.length === 0 ? known : wanted;
}
