import type { BaseCheckpointSaver } from "@langchain/langgraph";

import type { Config, RunEvent, SubagentOutcome, TaskEnvelope } from "@antler/contracts";
import type { Workspaces } from "@antler/sandbox";

import {
  createModels,
  type Delegate,
  type DelegationRequest,
  executeRun,
  type LeadOutcome,
  type McpPool,
  type RunToExecute,
  type SkillStorage,
} from "../../src/index.ts";
import { aLease, aRecorder, aRun, aSaver, type TestLease } from "./executions.ts";

export interface LeadRunOptions {
  readonly config: Config;
  readonly workspaces: Workspaces;
  readonly run?: RunToExecute;
  readonly lease?: TestLease;
  readonly saver?: BaseCheckpointSaver;
  readonly delegate?: Delegate;
  readonly recorder?: ReturnType<typeof aRecorder>;
  readonly endedCalls?: ReadonlyMap<string, SubagentOutcome>;
  readonly mcp?: McpPool;
  readonly skills?: SkillStorage;
}

export interface LeadRun {
  readonly outcome: Promise<LeadOutcome>;
  readonly recorder: ReturnType<typeof aRecorder>;
  readonly run: RunToExecute;
  readonly lease: TestLease;
  readonly saver: BaseCheckpointSaver;
}

/** Starts a run; what the caller leaves out is made new for it. */
export function startLead(options: LeadRunOptions): LeadRun {
  const { config, workspaces, run = aRun(), lease = aLease(), saver = aSaver(), recorder = aRecorder() } = options;
  const delegate = options.delegate ?? (() => Promise.reject(new Error("nothing may be delegated")));
  const ended = options.endedCalls ?? new Map<string, SubagentOutcome>();
  const deps = { config, models: createModels(config, {}), workspaces, saver, delegate, endedCalls: async () => ended };
  const tools = {
    ...(options.mcp !== undefined && { mcp: options.mcp }),
    ...(options.skills !== undefined && { skills: options.skills }),
  };
  const outcome = executeRun({ ...deps, ...tools, ...recorder.sinks, publishLive: recorder.publishLive }, run, lease);
  return { outcome, recorder, run, lease, saver };
}

export function anOutcome(over: Partial<SubagentOutcome> = {}): SubagentOutcome {
  return {
    status: "completed",
    result: "done",
    partialResult: null,
    error: null,
    stopReason: "completed",
    modelName: "main",
    usage: null,
    resultSha256: "a".repeat(64),
    ...over,
  };
}

/** A delegation that answers at once and remembers what it was asked. */
export function recordingDelegate(answer: (request: DelegationRequest) => SubagentOutcome | Promise<SubagentOutcome>) {
  const requests: DelegationRequest[] = [];
  const delegate: Delegate = async (request) => {
    requests.push(request);
    return answer(request);
  };
  return { delegate, requests };
}

let eventSeq = 0;

/** A stored event of a task, as the ledger hands it to a waiting lead. */
export function aTaskEvent(envelope: Omit<TaskEnvelope, "task_id">, type: RunEvent["type"], data: object): RunEvent {
  eventSeq += 1;
  const ids = { task_id: "0198", tool_call_id: envelope.tool_call_id, round: 0, attempt: 1, epoch: 1 };
  return {
    run_id: envelope.run_id,
    seq: eventSeq,
    key: `k${eventSeq}`,
    thread_id: envelope.thread_id,
    type,
    category: "subagent",
    data: { ...ids, ...data },
    created_at: new Date(0).toISOString(),
  };
}
