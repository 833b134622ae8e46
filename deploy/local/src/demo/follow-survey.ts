import { setTimeout as sleep } from "node:timers/promises";

import type { TaskFrame } from "@antler/contracts";

import { finalAnswerOf } from "./final-answer.ts";
import type { GatewayClient, RunRef } from "./gateway/gateway-client.ts";
import type { ProgressDisplay } from "./view/progress-display.ts";
import { createTaskBoard } from "./view/task-board.ts";

const refreshMs = 500;

/** Shows the run as it goes on, and returns the model's answer when it has ended. */
export async function followSurvey(
  client: Pick<GatewayClient, "followRun" | "listTasks">,
  run: RunRef,
  display: ProgressDisplay,
  signal: AbortSignal,
): Promise<string> {
  const board = createTaskBoard();
  const ended = new AbortController();
  const show = (): void => display.show(board.rows(), Date.now());
  const readLedger = async (): Promise<void> => board.applyLedger(await client.listTasks(run.runId));
  const refreshing = refreshUntil(AbortSignal.any([signal, ended.signal]), () => readLedger().then(show));
  let answer = "";
  try {
    for await (const { event, data } of client.followRun(run, signal)) {
      if (event === "values") answer = finalAnswerOf(data);
      if (event !== "custom") continue;
      const frame = data as TaskFrame;
      board.applyFrame(frame, Date.now());
      if (frame.type === "task_started") await readLedger();
      show();
    }
    await readLedger();
  } finally {
    ended.abort();
    await refreshing;
  }
  show();
  return answer;
}

/** The ledger only completes the display, so a read that fails is left to the next one. */
async function refreshUntil(signal: AbortSignal, refresh: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await refresh().catch(() => undefined);
    await sleep(refreshMs, undefined, { signal }).catch(() => undefined);
  }
}
