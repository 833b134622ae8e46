import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { SandboxConfig } from "@antler/contracts";
import { createLogger } from "@antler/platform";

import type { Sandbox, SkillMounts, Workspaces } from "../src/index.ts";
import { createWorkspaces } from "../src/index.ts";

export const silent = createLogger({ service: "test", level: "fatal", destination: { write: () => undefined } });

export function aConfig(changes: Partial<SandboxConfig> = {}): SandboxConfig {
  return {
    provider: "bubblewrap",
    allow_host_bash: false,
    workspaces_dir: "unused",
    command_timeout_seconds: 60,
    upload: { max_files: 100, max_bytes: 10 * 1024 * 1024 },
    ...changes,
  };
}

export interface Fixture extends AsyncDisposable {
  readonly root: string;
  readonly workspaces: Workspaces;
  readonly sandbox: Sandbox;
  /** Host directory of the open thread. */
  readonly base: string;
}

export interface FixtureOptions {
  readonly config?: SandboxConfig;
  readonly skills?: SkillMounts;
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** Workspaces in a fresh directory, with the thread `t1` of the tenant `default` open. */
export async function aFixture(options: FixtureOptions = {}): Promise<Fixture> {
  const root = await mkdtemp(join(tmpdir(), "antler-sandbox-"));
  const { config = aConfig(), skills, ...rest } = options;
  const workspaces = await createWorkspaces({ root, config, logger: silent, environment: process.env, ...rest });
  const sandbox = await workspaces.open("default", "t1", skills === undefined ? {} : { skills });
  return {
    root,
    workspaces,
    sandbox,
    base: join(root, "default", "t1"),
    async [Symbol.asyncDispose]() {
      await sandbox.release();
      await workspaces.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}

/** A signal that never aborts. */
export function never(): AbortSignal {
  return new AbortController().signal;
}
