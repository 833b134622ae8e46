import type { AgentInput, AgentStreamMode, CompiledAgent } from "../create-agent.ts";
import type { RunToExecute } from "../ports.ts";
import type { LeadDrive } from "./lead-drive.ts";
import { createLiveDeltas } from "./live-deltas.ts";

export interface LeadStream {
  readonly agent: CompiledAgent;
  readonly input: AgentInput | null;
  readonly maxModelCalls: number;
}

/** Streams the graph into the run's log and its live signals; true when it stopped to wait for input. */
export async function streamLead(drive: Omit<LeadDrive, "sandbox">, stream: LeadStream): Promise<boolean> {
  const { deps, run, lease, events } = drive;
  const live = createLiveDeltas(deps.publishLive);
  const { agent, input, maxModelCalls } = stream;
  const options = { threadId: run.thread_id, runId: run._id, signal: lease.signal, modes: modesOf(run), maxModelCalls };
  let isWaiting = false;
  try {
    for await (const chunk of agent.stream(input, options)) {
      if (chunk.mode === "messages") live.push(chunk.namespace, chunk.payload);
      else events.chunk(chunk);
      isWaiting ||= chunk.mode === "updates" && isInterrupt(chunk.payload);
    }
    return isWaiting;
  } finally {
    live.close();
  }
}

/** Updates and custom frames are always needed: messages are told from the former, the latter cost nothing. */
function modesOf({ stream_modes: modes }: RunToExecute): AgentStreamMode[] {
  const wantsDeltas = modes.includes("messages") || modes.includes("messages-tuple");
  const wanted: AgentStreamMode[] = ["updates", "custom"];
  if (modes.includes("values")) wanted.push("values");
  if (wantsDeltas) wanted.push("messages");
  return wanted;
}

function isInterrupt(payload: unknown): boolean {
  return typeof payload === "object" && payload !== null && "__interrupt__" in payload;
}
