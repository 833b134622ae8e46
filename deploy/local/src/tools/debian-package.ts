import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { findOnPath } from "./find-on-path.ts";
import { runCommand } from "./run-command.ts";

export interface PackageContext {
  readonly environment: NodeJS.ProcessEnv;
  /** Where packages are unpacked when they cannot be installed. */
  readonly folder: string;
  /** The file by which Debian asks whether a package's daemon may start. */
  readonly daemonPolicyPath?: string;
}

const timeoutMs = 300_000;
const systemPolicyPath = "/usr/sbin/policy-rc.d";
const network = ["-o", "Acquire::Retries=1"];

/** Whether this machine has Debian's package tools. */
export function hasDebianPackages(environment: NodeJS.ProcessEnv): boolean {
  const path = environment["PATH"] ?? "";
  return ["apt-get", "dpkg-deb"].every((tool) => findOnPath(tool, path) !== undefined);
}

/** Installs a package on the system, which needs root. Its daemon is not started. */
export async function installPackage(name: string, context: PackageContext): Promise<void> {
  const { environment, daemonPolicyPath = systemPolicyPath } = context;
  const options = { environment: { ...environment, DEBIAN_FRONTEND: "noninteractive" }, timeoutMs };
  const lock = ["-o", "DPkg::Lock::Timeout=120", ...network];
  const install = ["install", "-y", "--no-install-recommends", ...lock, name];
  await withoutDaemons(daemonPolicyPath, async () => {
    try {
      await runCommand("apt-get", install, options);
    } catch {
      await runCommand("apt-get", ["update", ...lock], options);
      await runCommand("apt-get", install, options);
    }
  });
}

/** Debian starts a package's daemon unless this file refuses; one that exists already is the administrator's. */
async function withoutDaemons(policyPath: string, work: () => Promise<void>): Promise<void> {
  const wrote = await writeFile(policyPath, "#!/bin/sh\nexit 101\n", { mode: 0o755, flag: "wx" }).then(
    () => true,
    () => false,
  );
  try {
    await work();
  } finally {
    if (wrote) await rm(policyPath, { force: true });
  }
}

/** Downloads a package and unpacks it into `folder/NAME`, which needs no privilege. Returns that folder. */
export async function unpackPackage(name: string, { environment, folder }: PackageContext): Promise<string> {
  const unpacked = join(folder, name);
  await mkdir(dirname(unpacked), { recursive: true });
  const draft = await mkdtemp(`${unpacked}.`);
  try {
    const archive = await download(name, draft, environment);
    await runCommand("dpkg-deb", ["-x", archive, join(draft, "root")], { environment, timeoutMs });
    await rm(unpacked, { recursive: true, force: true });
    await rename(join(draft, "root"), unpacked);
    return unpacked;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** The system's package lists may be missing and are not ours to refresh, so a private copy is the second try. */
async function download(name: string, cwd: string, environment: NodeJS.ProcessEnv): Promise<string> {
  const options = { cwd, environment, timeoutMs };
  try {
    await runCommand("apt-get", ["download", ...network, name], options);
  } catch {
    const lists = await privateLists(cwd);
    await runCommand("apt-get", ["update", ...network, ...lists], options);
    await runCommand("apt-get", ["download", ...network, ...lists, name], options);
  }
  const archive = (await readdir(cwd)).find((file) => file.endsWith(".deb"));
  if (archive === undefined) throw new Error(`apt-get download ${name} left no package`);
  return join(cwd, archive);
}

async function privateLists(folder: string): Promise<readonly string[]> {
  const [lists, cache] = [join(folder, "lists"), join(folder, "cache")];
  await mkdir(join(lists, "partial"), { recursive: true });
  await mkdir(join(cache, "archives/partial"), { recursive: true });
  return ["-o", `Dir::State::lists=${lists}`, "-o", `Dir::Cache=${cache}`, "-o", "APT::Sandbox::User="];
}
