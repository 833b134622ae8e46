import { isRunTerminal } from "@antler/contracts";

import type { GatewayClient } from "../../harness/gateway-client.ts";

/** Runs that come one after the other, from some clients at once, until they are told to stop. */
export interface SteadyTraffic {
  /** Resolves once so many more runs have ended. */
  more(count: number): Promise<void>;
  /** Resolves when each run that was begun has ended, with the ids of all. */
  stop(): Promise<readonly string[]>;
  /** What no client should have met: anything but a refused connection and a request to come back elsewhere. */
  readonly faults: readonly string[];
  /** How often a client had to go elsewhere. */
  readonly moves: number;
}

export interface TrafficOptions {
  readonly gateways: readonly GatewayClient[];
  readonly clients: number;
}

const BODY = { assistant_id: "lead", input: { messages: [{ role: "user", content: "Survey the workspace." }] } };

/** Each client asks the same gateway, and goes to the next one when that one says that it closes or is gone. */
export function startTraffic({ gateways, clients }: TrafficOptions): SteadyTraffic {
  const ended: string[] = [];
  const faults: string[] = [];
  const waiters: { readonly count: number; readonly resolve: () => void }[] = [];
  const state = { isStopped: false, moves: 0 };

  const client = async (): Promise<void> => {
    let place = 0;
    const ask = async <T>(work: (gateway: GatewayClient) => Promise<T | undefined>): Promise<T> => {
      for (;;) {
        const answer = await work(gateways[place % gateways.length]!).catch((error: unknown) => {
          if (!isRefused(error)) faults.push(describe(error));
        });
        if (answer !== undefined) return answer;
        place += 1;
        state.moves += 1;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    while (!state.isStopped) {
      const { thread_id } = await ask((gateway) => created<{ thread_id: string }>(gateway, "/threads", {}, faults));
      const path = `/threads/${thread_id}/runs`;
      const { run_id } = await ask((gateway) => created<{ run_id: string }>(gateway, path, BODY, faults));
      await ask((gateway) => hasEnded(gateway, { thread_id, run_id }));
      ended.push(run_id);
      for (const { count, resolve } of waiters) if (ended.length >= count) resolve();
    }
  };
  const running = Promise.all(Array.from({ length: clients }, client));
  return {
    faults,
    get moves() {
      return state.moves;
    },
    more: (count) => new Promise((resolve) => waiters.push({ count: ended.length + count, resolve })),
    async stop() {
      state.isStopped = true;
      await running;
      return ended;
    },
  };
}

/** Undefined when the gateway asks to come back elsewhere. */
async function created<T>(
  gateway: GatewayClient,
  path: string,
  body: object,
  faults: string[],
): Promise<T | undefined> {
  const answer = await gateway.post(path, body);
  if (answer.status === 200) return answer.body as T;
  const { code } = answer.body as { code?: string };
  if (answer.status !== 503 || code !== "shutting_down") faults.push(`POST ${path}: ${answer.status} ${code}`);
  return undefined;
}

/** Waits at the gateway; undefined when that closes before the run has ended. */
async function hasEnded(
  gateway: GatewayClient,
  { thread_id, run_id }: { readonly thread_id: string; readonly run_id: string },
): Promise<true | undefined> {
  await gateway.join({ threadId: thread_id, runId: run_id });
  const run = await gateway.get<{ status: Parameters<typeof isRunTerminal>[0] }>(
    `/threads/${thread_id}/runs/${run_id}`,
  );
  return isRunTerminal(run.status) ? true : undefined;
}

function isRefused(error: unknown): boolean {
  return describe(error).includes("ECONNREFUSED") || describe(error).includes(": 503 ");
}

function describe(error: unknown): string {
  const { message, cause } = error as { message: string; cause?: { code?: string; message?: string } };
  return `${message} ${cause?.code ?? ""} ${cause?.message ?? ""}`.trim();
}
