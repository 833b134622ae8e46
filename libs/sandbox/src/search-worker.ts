import { parentPort, workerData } from "node:worker_threads";

import { isAntlerError, messageOf } from "@antler/contracts";

import { searchGlob } from "./search-glob.ts";
import { searchGrep } from "./search-grep.ts";
import type { SearchAnswer, SearchJob } from "./search-job.ts";

const post = (answer: SearchAnswer) => parentPort?.postMessage(answer);

function faultOf(error: unknown): SearchAnswer {
  const known = isAntlerError(error) ? error : undefined;
  return { kind: "fault", code: known?.code ?? "internal", message: messageOf(error), details: known?.details ?? {} };
}

const job = workerData as SearchJob;
try {
  const truncated = job.kind === "glob" ? await searchGlob(job, post) : await searchGrep(job, post);
  post({ kind: "end", truncated });
} catch (error) {
  post(faultOf(error));
}
