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
  const refreshing = refreshUntil(AbortSignal.any([signal, ended.signal]), async () => {
    board.applyLedger(await client.listTasks(run.runId));
    show();
  });
  let answer = "";
  try {
    for await (const { event, data } of client.followRun(run, signal)) {
      if (event === "values") answer = finalAnswerOf(data);
      if (event !== "custom") continue;
      board.applyFrame(data as TaskFrame, Date.now());
      show();
    }
    board.applyLedger(await client.listTasks(run.runId));
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
