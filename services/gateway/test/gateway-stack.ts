import { type Config, type NewRunEvent, parseConfig } from "@antler/contracts";
import {
  createEventAppender,
  type DeliveryDeps,
  type Lease,
  publishLive,
  type RunOutcome,
  startRunWorker,
} from "@antler/delivery";
import { newRunnerId } from "@antler/platform";
import { createWorkspaces } from "@antler/sandbox";
import type { RunRow } from "@antler/store";

import { startDeliveryStack } from "../../../test/harness/delivery-stack.ts";
import { temporaryDirectory } from "../../../test/harness/temporary-directory.ts";
import { buildApp } from "../src/app.ts";
import { createHttpDrain } from "../src/drain-http.ts";
import { gatewayAccess } from "../src/gateway-access.ts";
import type { GatewayDeps } from "../src/gateway-deps.ts";
import type { GatewayApp } from "../src/http/gateway-app.ts";
import { listen } from "../src/listen.ts";
import { createOpenResponses } from "../src/stream/open-responses.ts";

/** What a scripted lead may do with the run that it executes. */
export interface LeadScript {
  readonly run: RunRow;
  readonly lease: Lease;
  readonly emit: (...events: readonly NewRunEvent[]) => Promise<void>;
  readonly delta: (id: string, content: string) => void;
}

export interface Gateway extends AsyncDisposable {
  readonly app: GatewayApp;
  readonly url: string;
  /** Aborts when it begins to close. */
  readonly closing: AbortSignal;
  /** What its process does first at a drain. */
  drain(cutoff: AbortSignal): Promise<void>;
}

/** A real store, bus and workspaces, a worker whose lead is scripted, and gateways over them. */
export interface GatewayStack {
  readonly deps: DeliveryDeps;
  readonly workspacesDir: string;
  /** The lead of all runs from now on. */
  play(script: (lead: LeadScript) => Promise<RunOutcome>): void;
  /** A listening gateway of its own; parts of its dependencies and configuration may be replaced. */
  open(given?: { document?: object; deps?: Partial<GatewayDeps> | Replace }): Promise<Gateway>;
  stop(): Promise<void>;
}

/** Makes replacements of the real dependencies out of them. */
export type Replace = (real: GatewayDeps) => Partial<GatewayDeps>;

export const SUCCESS: RunOutcome = { status: "success", stop_reason: "completed", error: null, output: { answer: 42 } };

export async function startGatewayStack(): Promise<GatewayStack> {
  const stack = await startDeliveryStack();
  const directory = await temporaryDirectory();
  const deps = await stack.connect();
  let script: (lead: LeadScript) => Promise<RunOutcome> = async () => SUCCESS;
  const worker = startRunWorker({
    ...(await stack.connect()),
    runner: { id: newRunnerId(), pid: process.pid },
    execute: (run, lease) => playScript(deps, { run, lease, script }),
  });
  return {
    deps,
    workspacesDir: directory.path,
    play: (next) => {
      script = next;
    },
    open: ({ document = {}, deps: replaced = {} } = {}) =>
      openGateway({ deps, config: parseConfig(document, {}), workspacesDir: directory.path, replaced }),
    async stop() {
      await worker.drain(AbortSignal.abort());
      await stack.stop();
      await directory[Symbol.asyncDispose]();
    },
  };
}

interface Playing {
  readonly run: RunRow;
  readonly lease: Lease;
  readonly script: (lead: LeadScript) => Promise<RunOutcome>;
}

async function playScript(deps: DeliveryDeps, { run, lease, script }: Playing): Promise<RunOutcome> {
  const appender = createEventAppender(deps, { runId: run._id, threadId: run.thread_id });
  const outcome = await script({
    run,
    lease,
    emit: async (...events) => {
      await appender.appendNow(events);
    },
    delta: (id, content) =>
      publishLive(deps.bus, run._id, {
        namespace: [],
        message: { type: "AIMessageChunk", id, content },
        metadata: { langgraph_node: "model" },
      }),
  });
  await appender.close();
  return outcome;
}

interface Opening {
  readonly deps: DeliveryDeps;
  readonly config: Config;
  readonly workspacesDir: string;
  readonly replaced: Partial<GatewayDeps> | Replace;
}

async function openGateway({ deps, config, workspacesDir, replaced }: Opening): Promise<Gateway> {
  const workspaces = await createWorkspaces({ root: workspacesDir, config: config.sandbox, logger: deps.logger });
  const readiness = () => deps.bus.health();
  const real = gatewayAccess({ ...deps, config, workspaces, readiness });
  const open = createOpenResponses();
  const app = await buildApp({ ...real, ...(typeof replaced === "function" ? replaced(real) : replaced) }, open);
  const drain = createHttpDrain({ app, open, noticeMs: config.http.drain_notice_seconds * 1000 });
  const url = `http://127.0.0.1:${await listen(app, { host: "127.0.0.1", port: 0 })}`;
  return { app, url, closing: open.closing, drain, [Symbol.asyncDispose]: () => app.close() };
}

/** Resolves when the lease of a run is aborted: a lead that only ends when it is told to. */
export function untilAborted({ signal }: Pick<Lease, "signal">): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  return promise;
}

export const valuesEvent = (n: number, payload: object): NewRunEvent => ({
  key: `values:${n}`,
  type: "stream.values",
  data: { mode: "values", namespace: [], payload },
});
