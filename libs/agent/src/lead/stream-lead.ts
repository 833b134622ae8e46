import { z } from "zod";

import { Interrupt } from "@antler/contracts";

import type { AgentInput, AgentResume, AgentStreamMode, CompiledAgent } from "../compiled-agent.ts";
import type { RunToExecute } from "../ports.ts";
import type { LeadDrive } from "./lead-drive.ts";
import { createLiveDeltas } from "./live-deltas.ts";

export interface LeadStream {
  readonly agent: CompiledAgent;
  readonly input: AgentInput | AgentResume | null;
  readonly maxModelCalls: number;
}

/** Streams the graph into the run's log and its live signals; resolves with what it stopped to ask, mostly nothing. */
export async function streamLead(drive: Omit<LeadDrive, "sandbox">, stream: LeadStream): Promise<readonly Interrupt[]> {
  const { deps, run, lease, events } = drive;
  const live = createLiveDeltas(deps.publishLive);
  const { agent, input, maxModelCalls } = stream;
  const options = { threadId: run.thread_id, runId: run._id, signal: lease.signal, modes: modesOf(run), maxModelCalls };
  const interrupts: Interrupt[] = [];
  try {
    for await (const chunk of agent.stream(input, options)) {
      if (chunk.mode === "messages") live.push(chunk.namespace, chunk.payload);
      else events.chunk(chunk);
      if (chunk.mode === "updates") interrupts.push(...interruptsIn(chunk.payload));
    }
    return interrupts;
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

const Interrupted = z.object({ __interrupt__: z.array(Interrupt) });

function interruptsIn(payload: unknown): readonly Interrupt[] {
  const parsed = Interrupted.safeParse(payload);
  return parsed.success ? parsed.data.__interrupt__ : [];
}
