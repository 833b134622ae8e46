import { join } from "node:path";

import { messageOf } from "@antler/contracts";

import { reportStep, type Say } from "../report-step.ts";
import { hasDebianPackages, installPackage, type PackageContext, unpackPackage } from "./debian-package.ts";
import { findOnPath, isExecutable } from "./find-on-path.ts";

/** A program of the operating system that Antler needs and can fetch itself on Debian and Ubuntu. */
export interface SystemTool {
  readonly program: string;
  readonly debianPackage: string;
  /** Where the program lies in the unpacked package. */
  readonly packagePath: string;
  readonly remedies: Readonly<Partial<Record<NodeJS.Platform, string>>> & { readonly other: string };
}

export const natsServer: SystemTool = {
  program: "nats-server",
  debianPackage: "nats-server",
  packagePath: "usr/sbin/nats-server",
  remedies: {
    darwin: "run: brew install nats-server",
    win32: "run Antler in WSL 2",
    linux: "install nats-server 2.9 or newer so that it is on the path",
    other: "install nats-server 2.9 or newer so that it is on the path",
  },
};

export const bubblewrap: SystemTool = {
  program: "bwrap",
  debianPackage: "bubblewrap",
  packagePath: "usr/bin/bwrap",
  remedies: {
    darwin: "bubblewrap exists on Linux only; --allow-host-bash runs commands unisolated",
    win32: "run Antler in WSL 2",
    linux: "install bubblewrap so that bwrap is on the path",
    other: "bubblewrap exists on Linux only; --allow-host-bash runs commands unisolated",
  },
};

export interface ToolContext extends PackageContext {
  readonly platform: NodeJS.Platform;
  readonly isRoot: boolean;
  readonly say: Say;
}

/** The path of the program, or why there is none and what to do about it. */
export type ProvidedTool = { readonly path: string } | { readonly missing: string };

/** Finds a tool on the path or fetched before; otherwise fetches Debian's package, as root by installing it. */
export async function provideTool(tool: SystemTool, context: ToolContext): Promise<ProvidedTool> {
  const found = findTool(tool, context);
  if (found !== undefined) return { path: found };
  const remedy = tool.remedies[context.platform] ?? tool.remedies.other;
  if (context.platform !== "linux" || !hasDebianPackages(context.environment)) {
    return { missing: `${tool.program} was not found; ${remedy}` };
  }
  const faults = await fetchTool(tool, context);
  const path = findTool(tool, context);
  if (path !== undefined) return { path };
  return {
    missing: `${tool.program} could not be fetched (${faults.join("; ")}); connect to the network or ${remedy}`,
  };
}

function findTool(tool: SystemTool, context: ToolContext): string | undefined {
  const unpacked = join(context.folder, tool.debianPackage, tool.packagePath);
  return findOnPath(tool.program, context.environment["PATH"] ?? "") ?? (isExecutable(unpacked) ? unpacked : undefined);
}

/** Tries each way in turn until one works; returns what went wrong. */
async function fetchTool(tool: SystemTool, context: ToolContext): Promise<readonly string[]> {
  const { debianPackage: name } = tool;
  const install = { what: `installing Debian's ${name}`, work: () => installPackage(name, context) };
  const unpack = {
    what: `unpacking Debian's ${name} under ${context.folder}`,
    work: () => unpackPackage(name, context),
  };
  const faults: string[] = [];
  for (const { what, work } of context.isRoot ? [install, unpack] : [unpack]) {
    try {
      await reportStep<unknown>(context.say, what, work);
      return faults;
    } catch (error) {
      faults.push(messageOf(error));
    }
  }
  return faults;
}
