import { execFile } from "node:child_process";
import { access, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { messageOf } from "@antler/contracts";

const run = promisify(execFile);

/** A nats-server that is newer than the system's, or why there is none. */
export type NewerServer = { readonly path: string; readonly version: string } | { readonly missing: string };

export interface NewerServerRequest {
  /** Where the program is unpacked, and found the next time. */
  readonly folder: string;
  /** A program that is to be taken instead. */
  readonly named?: string | undefined;
}

/** Suites of Debian whose nats-server is newer than bookworm's, the newest first. */
const SUITES = ["forky", "trixie"] as const;
const SOURCES = "/etc/apt/sources.list.d/debian.sources";
const KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg";
const COMMAND_LIMIT_MS = 120_000;

/** Takes the named program, one that was fetched before, or one of a newer suite of Debian; the system is not changed. */
export async function provideNewerServer({ folder, named }: NewerServerRequest): Promise<NewerServer> {
  const path = named ?? join(folder, "usr/sbin/nats-server");
  try {
    if (named === undefined && !(await exists(path))) await fetchInto(folder);
    return { path, version: await versionOf(path) };
  } catch (error) {
    return { missing: messageOf(error).trim().split("\n").at(-1) ?? "" };
  }
}

/** What a nats-server says of itself, such as `2.9.10`. */
export async function versionOf(path: string): Promise<string> {
  const { stdout } = await run(path, ["--version"], { timeout: COMMAND_LIMIT_MS });
  return /(\d+\.\d+\.\d+)/.exec(stdout)?.[1] ?? stdout.trim();
}

async function fetchInto(folder: string): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  const draft = await mkdtemp(`${folder}.`);
  try {
    const archive = await download(draft);
    const root = join(draft, "root");
    await run("dpkg-deb", ["-x", archive, root], { timeout: COMMAND_LIMIT_MS });
    await rm(folder, { recursive: true, force: true });
    await rename(root, folder);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** The first suite that has the package, read with package lists of our own. */
async function download(draft: string): Promise<string> {
  const faults: string[] = [];
  for (const suite of SUITES) {
    try {
      return await downloadFrom(suite, await mkdtemp(join(draft, `${suite}-`)));
    } catch (error) {
      faults.push(`Debian ${suite}: ${messageOf(error).trim().split("\n").at(-1) ?? ""}`);
    }
  }
  throw new Error(faults.join("; "));
}

async function downloadFrom(suite: string, cwd: string): Promise<string> {
  const options = await privateConfiguration(suite, cwd);
  await run("apt-get", [...options, "update"], { cwd, timeout: COMMAND_LIMIT_MS });
  await run("apt-get", [...options, "download", `nats-server/${suite}`], { cwd, timeout: COMMAND_LIMIT_MS });
  const archive = (await readdir(cwd)).find((file) => file.endsWith(".deb"));
  if (archive === undefined) throw new Error("apt-get download left no package");
  return join(cwd, archive);
}

/** Options under which apt knows this suite alone, and writes nothing of the system's. */
async function privateConfiguration(suite: string, cwd: string): Promise<readonly string[]> {
  const [sources, lists, cache] = [join(cwd, "sources.list"), join(cwd, "lists"), join(cwd, "cache")];
  await mkdir(join(lists, "partial"), { recursive: true });
  await mkdir(join(cache, "archives/partial"), { recursive: true });
  await writeFile(sources, `deb [signed-by=${KEYS}] ${await mirror()} ${suite} main\n`);
  const places = [`Dir::Etc::sourcelist=${sources}`, "Dir::Etc::sourceparts=/dev/null", `Dir::Cache=${cache}`];
  const settings = [...places, `Dir::State::lists=${lists}`, "APT::Sandbox::User=", "Acquire::Retries=1"];
  return settings.flatMap((setting) => ["-o", setting]);
}

/** The mirror that the system itself reads. */
async function mirror(): Promise<string> {
  const text = await readFile(SOURCES, "utf8").catch(() => "");
  return /^URIs:\s*(\S+)/m.exec(text)?.[1] ?? "http://deb.debian.org/debian";
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
