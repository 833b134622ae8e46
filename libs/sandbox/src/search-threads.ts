import { Worker } from "node:worker_threads";

import { AntlerError, messageOf } from "@antler/contracts";

import type { SearchAnswer, SearchJob } from "./search-job.ts";

interface Search {
  readonly job: SearchJob;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly take: (answer: SearchAnswer) => void;
}

interface SearchEnd {
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
  const forget = (thread: Worker) => {
    if (idle === thread) idle = undefined;
  };
  const takeThread = (): Worker => {
    const thread = idle ?? startThread(forget);
    forget(thread);
    thread.ref();
    return thread;
  };
  const giveBack = async (thread: Worker, isReusable: boolean): Promise<void> => {
    if (!isReusable || idle !== undefined) {
      await thread.terminate();
      return;
    }
    thread.unref();
    idle = thread;
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

function startThread(onGone: (thread: Worker) => void): Worker {
  const thread = new Worker(workerFile(), { env: {} });
  return thread.on("error", () => onGone(thread)).on("exit", () => onGone(thread));
}

async function searchIn(thread: Worker, { job, timeoutMs, signal, take }: Search): Promise<SearchEnd> {
  const { promise, resolve, reject } = Promise.withResolvers<SearchEnd>();
  const timer = setTimeout(() => resolve({ truncated: true, timedOut: true }), timeoutMs);
  const abort = () => reject(signal?.reason as Error);
  const hear = (answer: SearchAnswer) => {
    if (answer.kind === "end") resolve({ truncated: answer.truncated, timedOut: false });
    else if (answer.kind === "fault") reject(faultOf(answer));
    else take(answer);
  };
  const fail = (error: unknown) => reject(searchFailed(error));
  signal?.addEventListener("abort", abort, { once: true });
  if (signal?.aborted === true) abort();
  thread.on("message", hear).on("error", fail).on("exit", fail);
  thread.postMessage(job);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
    thread.off("message", hear).off("error", fail).off("exit", fail);
  }
}

function faultOf({ code, message, details }: Extract<SearchAnswer, { kind: "fault" }>): AntlerError {
  return new AntlerError(code, message, { details });
}

function searchFailed(error: unknown): AntlerError {
  return new AntlerError("internal", `Search failed: its thread ended (${messageOf(error)})`, { cause: error });
}

/** Beside this file, as source or compiled. */
function workerFile(): URL {
  const isSource = import.meta.url.endsWith(".ts");
  return isSource ? new URL("./search-worker.ts", import.meta.url) : new URL("./search-worker.js", import.meta.url);
}
