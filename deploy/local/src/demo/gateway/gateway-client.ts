import type { Readable } from "node:stream";

import { RunView, TaskView, ThreadView, WorkspaceReceipt } from "@antler/contracts";

import { requestJson } from "./request-json.ts";
import { followRun, type StreamFrame } from "./run-stream.ts";

/** What the demo asks of a gateway. Every call fails with a SetupError that holds the gateway's words. */
export interface GatewayClient {
  createThread(): Promise<string>;
  uploadWorkspace(threadId: string, tar: Readable, signal: AbortSignal): Promise<WorkspaceReceipt>;
  createRun(threadId: string, request: string): Promise<string>;
  /** The run's frames until its end, however often the connection breaks. */
  followRun(run: RunRef, signal: AbortSignal): AsyncIterable<StreamFrame>;
  getRun(run: RunRef): Promise<RunView>;
  listTasks(runId: string): Promise<readonly TaskView[]>;
  /** Cancels the run and waits a bounded time for its end. */
  cancelRun(run: RunRef): Promise<void>;
}

export interface RunRef {
  readonly threadId: string;
  readonly runId: string;
}

const streamModes = ["values", "custom"];
const cancelWaitMs = 15_000;

export function createGatewayClient(url: string): GatewayClient {
  const runPath = ({ threadId, runId }: RunRef) => `/threads/${threadId}/runs/${runId}`;
  const ask = requestJson(url);
  return {
    createThread: async () => ThreadView.pick({ thread_id: true }).parse(await ask("POST", "/threads", {})).thread_id,
    uploadWorkspace: async (threadId, tar, signal) =>
      WorkspaceReceipt.parse(await ask("PUT", `/threads/${threadId}/workspace`, tar, signal)),
    createRun: async (threadId, request) => {
      const input = { messages: [{ role: "user", content: request }] };
      const body = { assistant_id: "lead", input, stream_mode: streamModes };
      return RunView.parse(await ask("POST", `/threads/${threadId}/runs`, body)).run_id;
    },
    followRun: (run, signal) => followRun(`${url}${runPath(run)}/stream`, signal),
    getRun: async (run) => RunView.parse(await ask("GET", runPath(run))),
    listTasks: async (runId) => TaskView.array().parse(await ask("GET", `/runs/${runId}/tasks`)),
    cancelRun: async (run) => {
      await ask("POST", `${runPath(run)}/cancel?wait=true`, {}, AbortSignal.timeout(cancelWaitMs));
    },
  };
}
