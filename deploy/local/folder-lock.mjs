import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

export function processStart(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The command name in parentheses may itself hold blanks and parentheses, so fields are counted after it.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function exists(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

export function isAlive(holder) {
  if (holder.started === undefined) return exists(holder.pid);
  return processStart(holder.pid) === holder.started;
}

export function readHolder(path) {
  try {
    const holder = JSON.parse(readFileSync(path, "utf8"));
    return Number.isInteger(holder.pid) && isAlive(holder) ? holder : undefined;
  } catch {
    return undefined;
  }
}

/** The file appears under its name complete, so that nobody reads half a holder. */
function create(path, holder) {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(holder));
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Moves a stale file away; one that turns out to be alive (taken in between by another) is put back. */
function removeStale(path) {
  const aside = `${path}.stale.${process.pid}`;
  try {
    renameSync(path, aside);
    if (readHolder(aside) !== undefined) linkSync(aside, path);
  } catch (error) {
    if (error.code !== "ENOENT" && error.code !== "EEXIST") throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

export function takeLock(path) {
  const self = { pid: process.pid, started: processStart(process.pid) };
  mkdirSync(dirname(path), { recursive: true });
  for (;;) {
    if (create(path, self)) return { lock: held(path, self) };
    const holder = readHolder(path);
    if (holder !== undefined) return { holder };
    removeStale(path);
  }
}

function held(path, self) {
  return {
    describe(details) {
      const draft = `${path}.${process.pid}`;
      writeFileSync(draft, JSON.stringify({ ...self, ...details }));
      renameSync(draft, path);
    },
    release: () => rmSync(path, { force: true }),
  };
}
