import { delay } from "@antler/platform";

import type { GatewayClient, RunIds } from "../../harness/gateway-client.ts";
import { processesWith } from "../../harness/processes-with.ts";
import type { MarkedScripts } from "./marked-scripts.ts";

/** What of a run may still happen after its cancel ends within this time. */
export const STOPPED_WITHIN_MS = 3000;

/** How long is watched beyond that for what must not come any more. */
const WATCHED_MS = 500;

export interface Cancelled {
  readonly ids: RunIds;
  /** Answers to the cancels. */
  readonly statuses: readonly number[];
  /** The answer to who waits for the end. */
  readonly waitedStatus: number;
  /** Model calls of its subagents that began later than allowed. */
  readonly lateCalls: number;
  /** Processes of its commands that lived longer than allowed. */
  readonly survivors: readonly string[];
}

export interface CancelOptions {
  readonly client: GatewayClient;
  readonly scripts: MarkedScripts;
  readonly mark: string;
  readonly ids: RunIds;
  /** Called once the run is marked: lets go on what the test has held. */
  readonly release: () => void;
  /** Whether that is done only when the run has ended: what is held is itself given up. */
  readonly isGivenUp?: boolean;
  readonly withinMs?: number;
  /** How many cancels are sent at once; two without it. */
  readonly cancels?: number;
}

/** Cancels a run, waits for its end, and watches that nothing of it goes on. */
export async function cancelAndWatch(options: CancelOptions): Promise<Cancelled> {
  const { client, scripts, mark, ids, release, withinMs = STOPPED_WITHIN_MS, cancels = 2, isGivenUp = false } = options;
  const path = `/threads/${ids.threadId}/runs/${ids.runId}/cancel`;
  const answers = await Promise.all(Array.from({ length: cancels }, () => client.post(path)));
  const untilMs = performance.now() + withinMs;
  if (!isGivenUp) release();
  const waiting = client.post(`${path}?wait=true`);
  await delay(untilMs - performance.now());
  const survivors = await processesWith(mark);
  const waited = await waiting;
  if (isGivenUp) release();
  await delay(Math.max(untilMs - performance.now(), 0) + WATCHED_MS);
  return {
    ids,
    statuses: answers.map(({ status }) => status),
    waitedStatus: waited.status,
    lateCalls: scripts.taskCallsOf(mark).filter((atMs) => atMs > untilMs).length,
    survivors,
  };
}

/** Marks of runs that also are the seconds of a sleep, so that its process shows them. */
export const markOf = (place: number): string => `600.${String(process.pid)}${String(place).padStart(2, "0")}`;

export async function newThread(client: GatewayClient): Promise<string> {
  return ((await client.post("/threads")).body as { thread_id: string }).thread_id;
}

/** Starts a run whose user says the mark. */
export async function startMarked(client: GatewayClient, mark: string, threadId: string): Promise<RunIds> {
  const input = { messages: [{ role: "user", content: `Survey the workspace. ${mark}` }] };
  const created = await client.post(`/threads/${threadId}/runs`, { assistant_id: "lead", input });
  if (created.status !== 200) throw new Error(`The run was refused: ${JSON.stringify(created.body)}`);
  return { threadId, runId: (created.body as { run_id: string }).run_id };
}

interface ThreadMessages {
  readonly values: {
    readonly messages?: readonly {
      readonly type: string;
      readonly tool_calls?: readonly { readonly id: string }[];
      readonly tool_call_id?: string;
    }[];
  };
}

/** Ids of the calls on a thread that have no result. */
export async function openCallsOf(client: GatewayClient, threadId: string): Promise<string[]> {
  const { messages = [] } = (await client.get<ThreadMessages>(`/threads/${threadId}/state`)).values;
  const results = messages.map(({ tool_call_id: id }) => id);
  return messages
    .flatMap(({ tool_calls: calls = [] }) => calls.map(({ id }) => id))
    .filter((id) => !results.includes(id));
}
