import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import type { BaseCheckpointSaver } from "@langchain/langgraph";

import type { Config, Environment } from "@antler/contracts";
import type { Sandbox, Workspaces } from "@antler/sandbox";

import type { AgentInput, AgentStreamMode } from "../create-agent.ts";
import { detached } from "../detached.ts";
import { infrastructureFaultIn } from "../execution-fault.ts";
import type {
  Delegate,
  EventSink,
  ExecutionLease,
  LeadOutcome,
  PublishLive,
  RunToExecute,
  UsageSink,
} from "../ports.ts";
import type { TrimmedCalls } from "../subagents/limit-task-calls.ts";
import { withSandbox } from "../with-sandbox.ts";
import { createLeadAgent, type LeadAgent } from "./lead-agent.ts";
import { createLeadEvents, type LeadEvents } from "./lead-events.ts";
import { inputMessages } from "./lead-input.ts";
import { cappedRun, endedRun, failedRun, interruptedRun } from "./lead-outcome.ts";
import { leadScope } from "./lead-scope.ts";
import { createLiveDeltas } from "./live-deltas.ts";

export interface RunDeps {
  readonly config: Config;
  /** For keys of models and proxies. */
  readonly environment: Environment;
  readonly workspaces: Pick<Workspaces, "open" | "bashAvailable">;
  readonly usage: UsageSink;
  /** The run's checkpoints, fenced by this claim. */
  readonly saver: BaseCheckpointSaver;
  /** The run's log. */
  readonly events: EventSink;
  readonly publishLive: PublishLive;
  /** Bound to this run and claim. */
  readonly delegate: Delegate;
}

/** Model calls of a lead whose run sets no `recursion_limit`. */
const DEFAULT_MAX_MODEL_CALLS = 500;

/**
 * Executes a claimed run to its end: from its input, or from the checkpoint that an earlier claim of it left.
 * @throws AntlerError: the lease's abort reason, `store_unavailable` or `bus_unavailable`.
 */
export async function executeRun(deps: RunDeps, run: RunToExecute, lease: ExecutionLease): Promise<LeadOutcome> {
  const events = createLeadEvents({
    sink: deps.events,
    epoch: lease.epoch,
    modes: run.stream_modes,
    mayBeTrimmed: run.context.subagent_enabled ?? true,
  });
  const owner = { tenantId: run.tenant_id, threadId: run.thread_id };
  try {
    return await detached(() =>
      withSandbox(deps.workspaces, owner, (sandbox) => driveLead({ deps, run, lease, events, sandbox })),
    );
  } catch (error) {
    lease.signal.throwIfAborted();
    const fault = infrastructureFaultIn(error);
    if (fault !== undefined) throw fault;
    return failedRun(error);
  } finally {
    events.end();
    await deps.events.flush();
  }
}

interface Drive {
  readonly deps: RunDeps;
  readonly run: RunToExecute;
  readonly lease: ExecutionLease;
  readonly events: LeadEvents;
  readonly sandbox: Sandbox;
}

async function driveLead({ deps, run, lease, events, sandbox }: Drive): Promise<LeadOutcome> {
  const capabilities = { canRunCommands: deps.workspaces.bashAvailable };
  const scope = leadScope({ run, config: deps.config, sandbox, capabilities });
  const trims: TrimmedCalls[] = [];
  const maxModelCalls = modelCallLimit(run);
  const lead = await createLeadAgent({
    ...{ scope, lease, maxModelCalls, environment: deps.environment, usage: deps.usage },
    ...{ saver: deps.saver, delegate: deps.delegate },
    onTrim: (trimmed) => {
      trims.push(trimmed);
      events.trimmed(trimmed);
    },
  });
  const input = await leadInput({ deps, run, lease, events, sandbox }, lead);
  try {
    const isWaiting = await streamLead({ deps, run, lease, events, sandbox }, { lead, input, maxModelCalls });
    if (isWaiting) return interruptedRun();
  } catch (error) {
    if (!lead.turns.isReached() || lease.signal.aborted) throw error;
    return cappedRun(maxModelCalls);
  }
  return endedRun(
    await lead.agent.messages(run.thread_id),
    trims.some((trimmed) => trimmed.isExhausted) ? "subagent_limit_capped" : "completed",
  );
}

function modelCallLimit({ config }: RunToExecute): number {
  const { recursion_limit: limit } = config;
  return typeof limit === "number" && limit >= 1 ? Math.floor(limit) : DEFAULT_MAX_MODEL_CALLS;
}

/** The input of a fresh run; null when the run has a checkpoint of its own, which holds its input already. */
async function leadInput({ run, lease, events, sandbox }: Drive, { agent }: LeadAgent): Promise<AgentInput | null> {
  events.start({ run_id: run._id, thread_id: run.thread_id, attempt: lease.attempt });
  if (run.head !== null) {
    events.messages(messagesOfTurn(await agent.messages(run.thread_id)));
    return null;
  }
  if (run.input === null) return null;
  const messages = inputMessages(run.input);
  events.messages(messages);
  return { messages, sandbox: { sandbox_id: sandbox.id }, thread_data: sandbox.threadData };
}

/** What was said from the last input on. An earlier claim may have saved it without having told it. */
function messagesOfTurn(messages: readonly BaseMessage[]): readonly BaseMessage[] {
  const start = messages.findLastIndex((message) => HumanMessage.isInstance(message));
  return messages.slice(Math.max(0, start));
}

interface LeadStream {
  readonly lead: LeadAgent;
  readonly input: AgentInput | null;
  readonly maxModelCalls: number;
}

/** Streams the graph into log and live signals; true when it stopped to wait for input. */
async function streamLead({ deps, run, lease, events }: Drive, stream: LeadStream): Promise<boolean> {
  const live = createLiveDeltas(deps.publishLive);
  let isWaiting = false;
  try {
    const { signal } = lease;
    const options = {
      threadId: run.thread_id,
      runId: run._id,
      signal,
      modes: modesOf(run),
      maxModelCalls: stream.maxModelCalls,
    };
    for await (const chunk of stream.lead.agent.stream(stream.input, options)) {
      if (chunk.mode === "messages") live.push(chunk.namespace, chunk.payload);
      else events.chunk(chunk);
      isWaiting ||= chunk.mode === "updates" && isInterrupt(chunk.payload);
    }
    return isWaiting;
  } finally {
    live.close();
  }
}

function modesOf({ stream_modes: modes }: RunToExecute): AgentStreamMode[] {
  const wantsDeltas = modes.includes("messages") || modes.includes("messages-tuple");
  return [
    "updates",
    "custom",
    ...(modes.includes("values") ? ["values" as const] : []),
    ...(wantsDeltas ? ["messages" as const] : []),
  ];
}

function isInterrupt(payload: unknown): boolean {
  return typeof payload === "object" && payload !== null && "__interrupt__" in payload;
}
