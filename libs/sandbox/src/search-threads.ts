import { Worker } from "node:worker_threads";

import { AntlerError, messageOf } from "@antler/contracts";

import type { SearchAnswer, SearchJob } from "./search-job.ts";

export interface Search {
  readonly job: SearchJob;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly take: (answer: SearchAnswer) => void;
}

export interface SearchEnd {
  readonly truncated: boolean;
  readonly timedOut: boolean;
}

/**
 * Threads that search, because a thread can be stopped in the middle of a regular expression. One that has finished is
 * kept for the next search and does not keep the process alive.
 */
export interface SearchThreads {
  /** Runs a search; past its time it is stopped (`timedOut`). Rejects with its fault or the signal's reason. */
  run(search: Search): Promise<SearchEnd>;
  /** Ends the idle thread; repeatable. */
  close(): Promise<void>;
}

export function createSearchThreads(): SearchThreads {
  let idle: Worker | undefined;
  const takeThread = (): Worker => {
    const thread = idle ?? new Worker(workerFile(), { env: {} });
    idle = undefined;
    thread.ref();
    return thread;
  };
  const giveBack = async (thread: Worker, isReusable: boolean): Promise<void> => {
    thread.removeAllListeners();
    if (!isReusable || idle !== undefined) {
      await thread.terminate();
      return;
    }
    thread.unref();
    idle = thread;
    thread.once("exit", () => {
      if (idle === thread) idle = undefined;
    });
  };
  return {
    async run(search) {
      search.signal?.throwIfAborted();
      const thread = takeThread();
      let isReusable = false;
      try {
        const end = await searchIn(thread, search);
        isReusable = !end.timedOut;
        return end;
      } finally {
        await giveBack(thread, isReusable);
      }
    },
    async close() {
      const thread = idle;
      idle = undefined;
      await thread?.terminate();
    },
  };
}

async function searchIn(thread: Worker, { job, timeoutMs, signal, take }: Search): Promise<SearchEnd> {
  const { promise, resolve, reject } = Promise.withResolvers<SearchEnd>();
  const timer = setTimeout(() => resolve({ truncated: true, timedOut: true }), timeoutMs);
  const abort = () => reject(signal?.reason as Error);
  signal?.addEventListener("abort", abort, { once: true });
  thread.on("message", (answer: SearchAnswer) => {
    if (answer.kind === "end") resolve({ truncated: answer.truncated, timedOut: false });
    else if (answer.kind === "fault") reject(faultOf(answer));
    else take(answer);
  });
  thread.on("error", (error) => reject(searchFailed(messageOf(error))));
  thread.on("exit", () => reject(searchFailed("its thread ended")));
  thread.postMessage(job);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

function faultOf({ code, message, details }: Extract<SearchAnswer, { kind: "fault" }>): AntlerError {
  return new AntlerError(code, message, { details });
}

function searchFailed(why: string): AntlerError {
  return new AntlerError("internal", `Search failed: ${why}`);
}

/** Beside this file, as source or compiled. */
function workerFile(): URL {
  return new URL(import.meta.url.endsWith(".ts") ? "./search-worker.ts" : "./search-worker.js", import.meta.url);
}
