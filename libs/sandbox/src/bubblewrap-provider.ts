import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { lstat, readlink } from "node:fs/promises";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";

import { delay } from "@antler/platform";

import { commandEnvironment } from "./command-environment.ts";
import type { CommandPlace, CommandProvider, CommandStart } from "./command-provider.ts";
import { killQuietly } from "./process-group.ts";
import type { ProcessKiller, ProcessPlan } from "./run-process.ts";
import { systemCodeOf } from "./system-error.ts";
import type { VirtualRoot } from "./virtual-roots.ts";
import { below, SKILLS_ROOT } from "./virtual-roots.ts";

/** Of /etc only what programs need to run; nothing that may hold a secret. */
const ETC = ["alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "mime.types", "ssl/certs"];
const SYSTEM_DIRECTORIES = ["bin", "sbin", "lib", "lib32", "lib64", "libx32"];

const NAMESPACES = ["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"];
const USER = ["--uid", "1000", "--gid", "1000", "--hostname", "sandbox"];
const SYSTEM = ["--ro-bind", "/usr", "/usr", "--proc", "/proc", "--dev", "/dev"];

export interface BubblewrapOptions {
  /** Where `bwrap` is looked for. */
  readonly searchPath: string;
  /** Host files that stand as `/etc/passwd` and `/etc/group`. */
  readonly passwd: string;
  readonly group: string;
}

/** Runs commands in namespaces of their own: the thread's directories, the system read-only, no network. */
export async function createBubblewrapProvider(options: BubblewrapOptions): Promise<CommandProvider> {
  const system = [...SYSTEM, ...(await systemDirectories()), ...etcBinds(options)];
  return {
    name: "bubblewrap",
    isolated: true,
    plan: (place, start) => planBubblewrap({ ...options, system }, place, start),
  };
}

/** On most systems /bin and its like are links into /usr. */
async function systemDirectories(): Promise<string[]> {
  const args = await Promise.all(SYSTEM_DIRECTORIES.map((name) => systemDirectory(name)));
  return args.flat();
}

async function systemDirectory(name: string): Promise<string[]> {
  try {
    const isLink = (await lstat(`/${name}`)).isSymbolicLink();
    return isLink ? ["--symlink", await readlink(`/${name}`), `/${name}`] : ["--ro-bind", `/${name}`, `/${name}`];
  } catch (error) {
    if (systemCodeOf(error) === "ENOENT") return [];
    throw error;
  }
}

function etcBinds({ passwd, group }: BubblewrapOptions): string[] {
  const own = ["--ro-bind", passwd, "/etc/passwd", "--ro-bind", group, "/etc/group"];
  return [...own, ...ETC.flatMap((name) => ["--ro-bind-try", `/etc/${name}`, `/etc/${name}`])];
}

interface BubblewrapSystem extends BubblewrapOptions {
  readonly system: readonly string[];
}

function planBubblewrap(host: BubblewrapSystem, place: CommandPlace, start: CommandStart): ProcessPlan {
  const env = commandEnvironment({ home: "/tmp", temporary: "/tmp", extra: place.env });
  return {
    file: "bwrap",
    args: [
      ...[...NAMESPACES, ...USER, ...host.system],
      ...["--bind", place.temporary, "/tmp", ...bindsOf(place.roots)],
      ...["--clearenv", ...Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value])],
      ...["--info-fd", "3", "--chdir", start.virtualCwd],
      ...["--", "bash", "--noprofile", "--norc", "-c", start.command],
    ],
    cwd: "/",
    // What bwrap itself starts with can be read inside, at /proc/1/environ.
    env: { PATH: host.searchPath },
    mask: (output) => output,
    hasInfo: true,
    watch: watchBubblewrap,
  };
}

/** The directory around skills belongs to the sandbox itself and is sealed once they are in it. */
function bindsOf(roots: readonly VirtualRoot[]): string[] {
  const hasSkills = roots.some((root) => below(SKILLS_ROOT, root.virtual) !== undefined);
  const binds = roots.flatMap(bindOf);
  return hasSkills ? ["--tmpfs", SKILLS_ROOT, ...binds, "--remount-ro", SKILLS_ROOT] : binds;
}

function bindOf(root: VirtualRoot): string[] {
  return [root.readOnly ? "--ro-bind" : "--bind", root.host, root.virtual];
}

const INFO_WAIT_MS = 2000;

/**
 * bwrap waits for the first process of its namespace and ends after it, and the kernel lets that process end after all
 * others. So killing the first process, not bwrap, makes bwrap's exit the proof that nothing is left.
 */
function watchBubblewrap(child: ChildProcess): ProcessKiller {
  const first = firstProcess(child);
  return {
    async kill() {
      if (hasExited(child) || child.pid === undefined) return;
      const exited = once(child, "exit");
      const pid = await Promise.race([first, exited.then(() => undefined), delay(INFO_WAIT_MS)]);
      if (typeof pid === "number" && !hasExited(child)) killQuietly(pid);
      await Promise.race([exited, delay(INFO_WAIT_MS)]);
      if (!hasExited(child)) killQuietly(-child.pid);
    },
  };
}

async function firstProcess(child: ChildProcess): Promise<number | undefined> {
  const info = child.stdio[3];
  if (info == null) return undefined;
  const match = /"child-pid": (\d+)/.exec(await text(info as Readable).catch(() => ""));
  return match?.[1] === undefined ? undefined : Number(match[1]);
}

function hasExited(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
