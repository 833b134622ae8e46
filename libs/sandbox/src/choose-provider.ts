import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { SandboxConfig } from "@antler/contracts";
import { messageOf } from "@antler/contracts";

import { createBubblewrapProvider } from "./bubblewrap-provider.ts";
import type { CommandProvider, ProviderName } from "./command-provider.ts";
import { createLocalProvider } from "./local-provider.ts";
import { runProcess } from "./run-process.ts";
import { NO_SKILLS } from "./skill-mounts.ts";
import { systemCodeOf } from "./system-error.ts";
import { makeThreadDirectories, rootsOf, threadDirectories } from "./thread-directories.ts";
import { WORKSPACE_ROOT } from "./virtual-roots.ts";

/** Why a provider is not in use. */
export interface ProviderReason {
  readonly provider: ProviderName;
  readonly reason: string;
}

export interface ProviderChoice {
  readonly provider: CommandProvider | undefined;
  readonly reasons: readonly ProviderReason[];
}

export interface ProviderHost {
  readonly config: SandboxConfig;
  readonly searchPath: string;
  /** Directory of all workspaces. */
  readonly root: string;
}

const PROBE_TIMEOUT_MS = 10_000;

/** Takes the first provider, by configuration, in which a probe command ran. */
export async function chooseProvider(host: ProviderHost): Promise<ProviderChoice> {
  const reasons: ProviderReason[] = [];
  for (const name of ["bubblewrap", "local"] as const) {
    const provider = await tryProvider(host, name);
    if (typeof provider !== "string") return { provider, reasons };
    reasons.push({ provider: name, reason: provider });
  }
  return { provider: undefined, reasons };
}

/** The provider, or the reason why it cannot be used. */
async function tryProvider(host: ProviderHost, name: ProviderName): Promise<CommandProvider | string> {
  const { provider, allow_host_bash } = host.config;
  if (provider !== "auto" && provider !== name) return `sandbox.provider is ${provider}`;
  if (name === "local") {
    if (!allow_host_bash) return "sandbox.allow_host_bash is false: commands would run unisolated on this host";
    if (!/^[\w/.@%+=:,-]+$/.test(host.root))
      return "sandbox.workspaces_dir holds a space or another character that a shell takes for itself";
    return probed(createLocalProvider(host.searchPath));
  }
  if (process.platform !== "linux") return "bubblewrap needs Linux";
  return probed(await createBubblewrapProvider({ searchPath: host.searchPath, ...(await systemFiles(host)) }));
}

/** The few system files that bubblewrap shows. */
async function systemFiles({ root }: ProviderHost): Promise<{ passwd: string; group: string }> {
  const systemDirectory = join(root, ".system");
  await mkdir(systemDirectory, { recursive: true });
  const passwd = join(systemDirectory, "passwd");
  const group = join(systemDirectory, "group");
  await writeFile(passwd, "antler:x:1000:1000::/tmp:/bin/bash\nnobody:x:65534:65534::/:/usr/sbin/nologin\n");
  await writeFile(group, "antler:x:1000:\nnogroup:x:65534:\n");
  return { passwd, group };
}

/** Present means that a command ran, wrote a file and was heard, not that a program was found. */
async function probed(provider: CommandProvider): Promise<CommandProvider | string> {
  const directory = await mkdtemp(join(tmpdir(), "antler-probe-"));
  try {
    const fault = await probe(provider, directory);
    return fault ?? provider;
  } catch (error) {
    return systemCodeOf(error) === "ENOENT" ? `${missingProgram(provider)} is not on the PATH` : messageOf(error);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function probe(provider: CommandProvider, directory: string): Promise<string | undefined> {
  const directories = threadDirectories(directory, "probe", "probe");
  await makeThreadDirectories(directories);
  const place = { roots: rootsOf(directories, NO_SKILLS), temporary: directories.temporary, env: {} };
  const command = "echo ready > probe && cat probe";
  const start = { command, virtualCwd: WORKSPACE_ROOT, hostCwd: directories.workspace };
  const limits = { timeoutMs: PROBE_TIMEOUT_MS, signal: new AbortController().signal };
  const result = await runProcess(provider.plan(place, start), limits);
  if (result.output.trim() === "ready") return undefined;
  return result.timedOut ? "its probe command did not end" : `its probe command failed: ${result.output.trim()}`;
}

function missingProgram({ name }: CommandProvider): string {
  return name === "bubblewrap" ? "bwrap" : "bash";
}
