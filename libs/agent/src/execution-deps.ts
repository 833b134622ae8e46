import type { Config } from "@antler/contracts";
import type { Workspaces } from "@antler/sandbox";

import type { McpPool } from "./mcp/mcp-pool.ts";
import type { Models } from "./models/models.ts";
import type { EventSink, UsageSink } from "./ports.ts";
import type { SkillStorage } from "./skills/skill-storage.ts";

/** What every execution of an agent stands on, lead and subagent alike. */
export interface ExecutionDeps {
  readonly config: Config;
  readonly models: Models;
  readonly workspaces: Pick<Workspaces, "open" | "bashAvailable">;
  readonly usage: UsageSink;
  /** Without it no agent has tools of MCP servers. */
  readonly mcp?: McpPool;
  /** Without it no agent has skills. */
  readonly skills?: SkillStorage;
  /** The run's log. */
  readonly events: EventSink;
}
