import { mkdir, realpath } from "node:fs/promises";
import { resolve } from "node:path";
import type { Readable } from "node:stream";

import type { SandboxConfig, WorkspaceReceipt } from "@antler/contracts";
import type { Logger } from "@antler/platform";

import type { ProviderChoice, ProviderReason } from "./choose-provider.ts";
import { chooseProvider } from "./choose-provider.ts";
import { searchPathOf } from "./command-environment.ts";
import type { ProviderName } from "./command-provider.ts";
import { openSandbox } from "./open-sandbox.ts";
import type { PathLocks } from "./path-locks.ts";
import { createPathLocks } from "./path-locks.ts";
import { sandboxUnavailable } from "./run-command.ts";
import type { Sandbox } from "./sandbox.ts";
import type { SearchThreads } from "./search-threads.ts";
import { createSearchThreads } from "./search-threads.ts";
import type { SkillMounts } from "./skill-mounts.ts";
import { NO_SKILLS } from "./skill-mounts.ts";
import { makeThreadDirectories, removeThreadDirectories, threadDirectories } from "./thread-directories.ts";
import { uploadWorkspace } from "./upload-workspace.ts";

export interface WorkspacesOptions {
  /** Directory of all workspaces; made when missing. */
  readonly root: string;
  readonly config: SandboxConfig;
  readonly logger: Logger;
  /** Takes the place of `config.provider`. */
  readonly provider?: SandboxConfig["provider"];
  /** Only PATH is read, to find `bwrap` and, for unisolated commands, programs. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

export interface OpenOptions {
  /** Added to the environment of commands. */
  readonly env?: Readonly<Record<string, string>>;
  /** Without it there are none. */
  readonly skills?: SkillMounts;
}

export interface Workspaces {
  /** What runs commands; `none` when no provider passed its probe. */
  readonly provider: { readonly name: ProviderName | "none"; readonly isolated: boolean };
  /** Whether `run` works. */
  readonly bashAvailable: boolean;
  readonly hostBashAllowed: boolean;
  /** Why the providers that are not in use are not. */
  readonly reasons: readonly ProviderReason[];
  /** For who cannot do without commands. Errors: `sandbox_unavailable` with each reason and the remedies. */
  assertBash(): void;
  /** Opens the thread's workspace for one execution, making it when missing. */
  open(tenantId: string, threadId: string, options?: OpenOptions): Promise<Sandbox>;
  /** Removes all files of the thread; repeatable. */
  delete(tenantId: string, threadId: string): Promise<void>;
  /**
   * Replaces the contents of the workspace by those of a tar stream, whole or not at all. `beforeSwap` runs once the
   * stream is unpacked, right before the old contents go; when it rejects, they stay, and the upload rejects likewise.
   * Errors: `workspace_entry_refused`, `workspace_too_large`, `workspace_archive_invalid`; an abort rejects with the
   * signal's reason.
   */
  upload(
    tenantId: string,
    threadId: string,
    tar: Readable,
    options: { readonly signal: AbortSignal; readonly beforeSwap?: () => Promise<void> },
  ): Promise<WorkspaceReceipt>;
  /** Ends what is kept between operations; open sandboxes are their holders' to release. */
  close(): Promise<void>;
}

/** Opens the directory of all workspaces and finds out what can run commands. */
export async function createWorkspaces(options: WorkspacesOptions): Promise<Workspaces> {
  await mkdir(options.root, { recursive: true });
  const root = await realpath(resolve(options.root));
  const config = options.provider === undefined ? options.config : { ...options.config, provider: options.provider };
  const searchPath = searchPathOf(options.environment ?? {});
  const choice = await chooseProvider({ config, searchPath, root });
  report(options.logger, choice);
  return workspacesOf({
    root,
    config,
    choice,
    locks: createPathLocks(),
    threads: createSearchThreads(),
  });
}

interface WorkspacesParts {
  readonly root: string;
  readonly config: SandboxConfig;
  readonly choice: ProviderChoice;
  readonly locks: PathLocks;
  readonly threads: SearchThreads;
}

function workspacesOf(parts: WorkspacesParts): Workspaces {
  const { config, choice } = parts;
  const directoriesOf = (tenantId: string, threadId: string) => threadDirectories(parts.root, tenantId, threadId);
  return {
    provider: { name: choice.provider?.name ?? "none", isolated: choice.provider?.isolated ?? false },
    bashAvailable: choice.provider !== undefined,
    hostBashAllowed: config.allow_host_bash,
    reasons: choice.reasons,
    assertBash() {
      if (choice.provider === undefined) throw sandboxUnavailable(choice.reasons);
    },
    async open(tenantId, threadId, { env = {}, skills = NO_SKILLS } = {}) {
      const directories = directoriesOf(tenantId, threadId);
      await makeThreadDirectories(directories);
      return openSandbox({ ...parts, directories, env, skills });
    },
    delete: (tenantId, threadId) => removeThreadDirectories(directoriesOf(tenantId, threadId)),
    close: () => parts.threads.close(),
    async upload(tenantId, threadId, tar, { signal, beforeSwap }) {
      // A sender that goes away before reading begins is noticed when it does.
      tar.on("error", () => undefined);
      const directories = directoriesOf(tenantId, threadId);
      await makeThreadDirectories(directories);
      return uploadWorkspace({ directories, limits: config.upload, locks: parts.locks, signal, beforeSwap }, tar);
    },
  };
}

function report(logger: Logger, { provider, reasons }: ProviderChoice): void {
  const fields = { provider: provider?.name ?? "none", isolated: provider?.isolated ?? false, reasons };
  if (provider === undefined) logger.warn(fields, "No sandbox can run commands");
  else logger.info(fields, "Sandbox provider chosen");
}
