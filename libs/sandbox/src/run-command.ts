import { realpath } from "node:fs/promises";

import { AntlerError } from "@antler/contracts";

import type { ProviderChoice, ProviderReason } from "./choose-provider.ts";
import type { CommandPlace, CommandStart } from "./command-provider.ts";
import { openDirectory } from "./directory.ts";
import type { PathResolver } from "./path-resolver.ts";
import { runProcess } from "./run-process.ts";
import type { CommandRequest, CommandResult } from "./sandbox.ts";
import { WORKSPACE_ROOT } from "./virtual-roots.ts";

export interface CommandDeps {
  readonly choice: ProviderChoice;
  readonly resolver: PathResolver;
  readonly place: CommandPlace;
}

/** Runs a command with the chosen provider. Errors: `sandbox_unavailable`, `path_refused` for the directory. */
export async function runCommand(deps: CommandDeps, request: CommandRequest): Promise<CommandResult> {
  const { provider, reasons } = deps.choice;
  if (provider === undefined) throw sandboxUnavailable(reasons);
  if (request.command.includes("\0"))
    throw new AntlerError("invalid_request", "Field command must not hold a NUL character");
  const start = await startOf(deps.resolver, request);
  return runProcess(provider.plan(deps.place, start), { timeoutMs: request.timeoutMs, signal: request.signal });
}

async function startOf(resolver: PathResolver, request: CommandRequest): Promise<CommandStart> {
  return resolver.use(request.cwd ?? WORKSPACE_ROOT, {}, async (directory) => {
    const opened = await openDirectory(directory.at);
    try {
      const hostCwd = await realpath(opened.self);
      return { command: request.command, virtualCwd: directory.virtual, hostCwd };
    } finally {
      await opened.close();
    }
  });
}

const REMEDIES =
  "Install bubblewrap, allow user namespaces for it (on Ubuntu by the AppArmor profile of its package), " +
  "or accept unisolated commands with --allow-host-bash (sandbox.allow_host_bash)";

/** Names each provider's reason and the remedies. */
export function sandboxUnavailable(reasons: readonly ProviderReason[]): AntlerError {
  const listed = reasons.map(({ provider, reason }) => `${provider}: ${reason}`).join("; ");
  return new AntlerError("sandbox_unavailable", `No sandbox can run commands (${listed}). ${REMEDIES}`, {
    details: { reasons },
  });
}
