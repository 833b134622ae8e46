import type { BaseCheckpointSaver } from "@langchain/langgraph";

import type { Config, NewRunEvent } from "@antler/contracts";

import type { ModelRequest, ModelServer } from "../../../../test/harness/model-server.ts";
import {
  type ChildOutcome,
  createModels,
  type Delegate,
  executeTask,
  type LeadOutcome,
  type RunToExecute,
  type TaskToExecute,
} from "../../src/index.ts";
import { aConfig, aLease, aRecorder, openWorkspaces } from "../support/executions.ts";
import { startLead } from "../support/lead-runs.ts";
import { openPool } from "./mcp-setup.ts";

export interface ToolSettings {
  readonly servers: Record<string, unknown>;
  readonly search?: boolean;
  readonly subagents?: object;
}

export function toolConfig(server: ModelServer, { servers, search = false, subagents = {} }: ToolSettings): Config {
  return aConfig(server.baseUrl, { subagents, tools: { tool_search: { enabled: search }, mcp: { servers } } });
}

interface Ran<T> {
  readonly outcome: T;
  readonly events: readonly NewRunEvent[];
}

/** Executes a task with the MCP servers of the configuration. */
export async function runChild(config: Config, task: TaskToExecute): Promise<Ran<ChildOutcome>> {
  const { sinks, events } = aRecorder();
  await using opened = await openWorkspaces(config);
  await using mcp = openPool(config.tools.mcp);
  const deps = { config, models: createModels(config, {}), ...opened, ...sinks, mcp: mcp.pool };
  return { outcome: await executeTask(deps, task, aLease()), events };
}

export interface LeadChoices {
  readonly run?: RunToExecute;
  readonly saver?: BaseCheckpointSaver;
  readonly delegate?: Delegate;
}

/** Executes a run with the MCP servers of the configuration. */
export async function runLead(config: Config, choices: LeadChoices = {}): Promise<Ran<LeadOutcome>> {
  await using opened = await openWorkspaces(config);
  await using mcp = openPool(config.tools.mcp);
  const { outcome, recorder } = startLead({ config, ...opened, mcp: mcp.pool, ...choices });
  return { outcome: await outcome, events: recorder.events };
}

export function refusals(events: readonly NewRunEvent[]): readonly NewRunEvent[] {
  return events.filter(({ type }) => type === "tool.refused");
}

/** What the model was told of its calls. */
export function toolTexts(request: ModelRequest | undefined): string[] {
  const results = (request?.messages ?? []).filter(({ role }) => role === "tool");
  return results.map(({ content }) => (typeof content === "string" ? content : JSON.stringify(content)));
}
