import { parentPort } from "node:worker_threads";

import { isAntlerError, messageOf } from "@antler/contracts";

import { searchGlob } from "./search-glob.ts";
import { searchGrep } from "./search-grep.ts";
import type { SearchAnswer, SearchJob } from "./search-job.ts";

const post = (answer: SearchAnswer) => parentPort?.postMessage(answer);

async function answer(job: SearchJob): Promise<SearchAnswer> {
  try {
    const truncated = job.kind === "glob" ? await searchGlob(job, post) : await searchGrep(job, post);
    return { kind: "end", truncated };
  } catch (error) {
    const known = isAntlerError(error) ? error : undefined;
    return { kind: "fault", code: known?.code ?? "internal", message: messageOf(error), details: known?.details ?? {} };
  }
}

parentPort?.on("message", (job: SearchJob) => void answer(job).then(post));
