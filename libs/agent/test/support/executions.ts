import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { MemorySaver } from "@langchain/langgraph";

import {
  AntlerError,
  type Config,
  type LiveSignal,
  type NewRunEvent,
  parseConfig,
  type UsageRecord,
} from "@antler/contracts";
import { createLogger, newId } from "@antler/platform";
import { createWorkspaces, type Workspaces } from "@antler/sandbox";

import type { ExecutionLease, RunToExecute, TaskToExecute } from "../../src/ports.ts";

export function aConfig(baseUrl: string, over: Record<string, unknown> = {}): Config {
  return parseConfig(
    {
      models: [
        { name: "main", provider: "openai", model: "main-1", base_url: baseUrl, max_retries: 1 },
        { name: "big", provider: "openai", model: "big-1", base_url: baseUrl, max_retries: 0 },
      ],
      ...over,
    },
    {},
  );
}

export interface TestWorkspaces extends AsyncDisposable {
  readonly workspaces: Workspaces;
}

/** Workspaces in a directory of their own, in which commands run. */
export async function openWorkspaces(config: Config): Promise<TestWorkspaces> {
  const root = await mkdtemp(join(tmpdir(), "antler-agent-"));
  const logger = createLogger({ service: "test", level: "fatal" });
  const sandbox = { ...config.sandbox, allow_host_bash: true };
  const workspaces = await createWorkspaces({
    root,
    config: sandbox,
    logger,
    environment: { PATH: process.env["PATH"] },
  });
  return { workspaces, [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) };
}

export interface TestLease extends ExecutionLease {
  abort(code: "lease_lost" | "cancelled" | "deadline_exceeded" | "drained"): void;
  /** From now on `assertHeld` throws, while the signal is silent. */
  lose(): void;
  readonly asserted: number;
}

export function aLease(over: Partial<Pick<ExecutionLease, "epoch" | "attempt" | "round">> = {}): TestLease {
  const controller = new AbortController();
  let isLost = false;
  let asserted = 0;
  return {
    epoch: 1,
    attempt: 1,
    round: 0,
    ...over,
    signal: controller.signal,
    assertHeld() {
      asserted += 1;
      if (isLost) throw new AntlerError("lease_lost", "Lease is lost");
    },
    abort: (code) => controller.abort(new AntlerError(code, `Aborted: ${code}`)),
    lose() {
      isLost = true;
    },
    get asserted() {
      return asserted;
    },
  };
}

export interface Recorded {
  readonly events: NewRunEvent[];
  readonly usage: UsageRecord[];
  readonly live: LiveSignal[];
}

/** Where an execution's events and usage go; events become visible with a flush, as in the log. */
export function aRecorder() {
  const recorded: Recorded = { events: [], usage: [], live: [] };
  let buffered: NewRunEvent[] = [];
  const events = {
    append: (event: NewRunEvent) => void buffered.push(event),
    flush: async () => {
      const known = new Set(recorded.events.map(({ key }) => key));
      recorded.events.push(...buffered.filter(({ key }) => !known.has(key)));
      buffered = [];
    },
  };
  const usage = { record: async (records: readonly UsageRecord[]) => void recorded.usage.push(...records) };
  return {
    ...recorded,
    sinks: { events, usage },
    publishLive: (signal: LiveSignal) => void recorded.live.push(signal),
  };
}

const identity = {
  tenant_id: "default",
  user_id: "u1",
  user_role: "analyst",
  is_internal: true,
  channel_user_id: "u9",
  oauth_provider: null,
  oauth_id: null,
  authz_attributes: { team: "blue" },
};

const trace = { traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01` };

export function aRun(over: Partial<RunToExecute> = {}): RunToExecute {
  return {
    _id: newId(),
    tenant_id: "default",
    thread_id: newId(),
    lane: "interactive",
    trace,
    identity,
    input: { messages: [{ role: "user", content: "Survey the workspace" }] },
    context: {},
    config: {},
    stream_modes: ["values"],
    stream_subgraphs: false,
    calls: [],
    head: null,
    ...over,
  };
}

export interface TaskChoices {
  readonly prompt?: string;
  readonly tools?: string[];
  readonly maxTurns?: number;
  readonly type?: string;
  readonly systemPrompt?: string;
  readonly subagent?: Partial<TaskToExecute["envelope"]["subagent"]>;
  readonly envelope?: Partial<TaskToExecute["envelope"]>;
}

export function aTask(choices: TaskChoices = {}): TaskToExecute {
  const ids = { task_id: newId(), run_id: newId(), thread_id: newId(), tool_call_id: "call_1" };
  return {
    _id: ids.task_id,
    tenant_id: "default",
    run_id: ids.run_id,
    thread_id: ids.thread_id,
    call_id: ids.tool_call_id,
    execution_limit_ms: 5000,
    envelope: {
      version: 1,
      ...ids,
      identity,
      trace,
      subagent: {
        name: choices.type ?? "general-purpose",
        system_prompt: choices.systemPrompt ?? "You are a general-purpose subagent. You were given one task.",
        max_turns: choices.maxTurns ?? 150,
        timeout_seconds: 5,
        pool: "general",
        ...choices.subagent,
      },
      model_name: "main",
      tool_groups: null,
      tools: choices.tools ?? ["bash", "ls", "read_file", "write_file", "str_replace", "glob", "grep"],
      skills: null,
      sandbox: { sandbox_id: ids.thread_id },
      thread_data: {
        workspace_path: "/mnt/user-data/workspace",
        uploads_path: "/mnt/user-data/uploads",
        outputs_path: "/mnt/user-data/outputs",
      },
      description: "Count files",
      prompt: choices.prompt ?? "Count the files",
      ...choices.envelope,
    },
  };
}

/** A saver that keeps checkpoints in memory, shared by the claims of one thread. */
export function aSaver(): MemorySaver {
  return new MemorySaver();
}
