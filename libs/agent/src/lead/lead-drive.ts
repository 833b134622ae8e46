import type { Sandbox } from "@antler/sandbox";

import type { McpTools } from "../mcp/mcp-pool.ts";
import type { ExecutionLease, RunToExecute } from "../ports.ts";
import type { LoadedSkills } from "../skills/load-skills.ts";
import type { LeadEvents } from "./lead-events.ts";
import type { RunDeps } from "./run-deps.ts";

/** One execution of a run. */
export interface LeadDrive {
  readonly deps: RunDeps;
  readonly run: RunToExecute;
  readonly lease: ExecutionLease;
  readonly events: LeadEvents;
  readonly sandbox: Sandbox;
  readonly mcp: McpTools;
  readonly skills: LoadedSkills;
}
