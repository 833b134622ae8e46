import { realpath } from "node:fs/promises";

import { AntlerError, isAntlerError } from "@antler/contracts";

import type { ProviderChoice, ProviderReason } from "./choose-provider.ts";
import type { CommandPlace, CommandStart, ProviderName } from "./command-provider.ts";
import { openDirectory } from "./directory.ts";
import type { PathResolver } from "./path-resolver.ts";
import { runProcess } from "./run-process.ts";
import type { CommandRequest, CommandResult } from "./sandbox.ts";
import { systemCodeOf } from "./system-error.ts";
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
  try {
    return await runProcess(provider.plan(deps.place, start), request);
  } catch (error) {
    throw startError(error, provider.name);
  }
}

function startError(error: unknown, provider: ProviderName): unknown {
  const code = systemCodeOf(error);
  if (code === undefined || isAntlerError(error)) return error;
  if (code === "E2BIG")
    return new AntlerError("invalid_request", "Field command is too long; put it into a file and run that", {
      cause: error,
    });
  if (code === "ENOSPC" || code === "EDQUOT") return noTemporarySpace(error);
  if (code === "ENOENT") return sandboxUnavailable([{ provider, reason: "its program is gone" }]);
  return new AntlerError("internal", `The command could not be started: the system answered ${code}`, { cause: error });
}

function noTemporarySpace(cause: unknown): AntlerError {
  const message =
    "The command could not be started: no space is left in the temporary directory of this service; " +
    "only its operator can free some there";
  return new AntlerError("sandbox_unavailable", message, { cause });
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
