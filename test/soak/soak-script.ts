import { delay } from "@antler/platform";

import type { Answer } from "../faults/stack/fault-stack.ts";
import { gatedScript } from "../faults/stack/gated-script.ts";
import type { SeededRandom } from "./seeded-random.ts";

const TASKS_A_RUN = 10;

/** Places for all tasks that are under way at this rate, also while every second runner is gone. */
export const SOAK_DOCUMENT = {
  subagents: { max_concurrent: TASKS_A_RUN, max_total_per_run: 2 * TASKS_A_RUN },
  pools: {
    general: { concurrency: { interactive: 64 }, slots: { interactive: 32 } },
    lead: { concurrency: { interactive: 32 }, slots: { interactive: 16 } },
  },
  logging: { level: "warn" },
};

/** A model that takes its time, so that kills meet work of every kind. */
export function soakAnswer(random: SeededRandom): Answer {
  const script = gatedScript({ tasks: TASKS_A_RUN });
  return async (request) => {
    await delay(random.between(500, 3000));
    return script.answer(request);
  };
}
