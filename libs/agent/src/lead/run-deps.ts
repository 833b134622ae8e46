import type { BaseCheckpointSaver } from "@langchain/langgraph";

import type { Config } from "@antler/contracts";
import type { Workspaces } from "@antler/sandbox";

import type { McpPool } from "../mcp/mcp-pool.ts";
import type { Models } from "../models/models.ts";
import type { Delegate, EndedCalls, EventSink, PublishLive, UsageSink } from "../ports.ts";
import type { SkillStorage } from "../skills/skill-storage.ts";

/** What the execution of one claimed run stands on. */
export interface RunDeps {
  readonly config: Config;
  readonly models: Models;
  readonly workspaces: Pick<Workspaces, "open" | "bashAvailable">;
  readonly usage: UsageSink;
  /** Without it no agent has tools of MCP servers. */
  readonly mcp?: McpPool;
  /** Without it no agent has skills. */
  readonly skills?: SkillStorage;
  /** The run's checkpoints, fenced by this claim. */
  readonly saver: BaseCheckpointSaver;
  /** The run's log. */
  readonly events: EventSink;
  readonly publishLive: PublishLive;
  /** Bound to this run and claim. */
  readonly delegate: Delegate;
  /** Bound to the run's thread. */
  readonly endedCalls: EndedCalls;
}
