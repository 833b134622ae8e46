import { createLogger, delay } from "@antler/platform";

import { startFaultStack } from "../faults/stack/fault-stack.ts";
import { judgeRuns, untilSettled } from "./judge-runs.ts";
import { startKiller } from "./killer.ts";
import { startLoad } from "./load.ts";
import { seededRandom } from "./seeded-random.ts";
import { readSoakArguments } from "./soak-arguments.ts";
import { recoveryOf, soakFaults, type SoakReport } from "./soak-report.ts";
import { SOAK_DOCUMENT, soakAnswer } from "./soak-script.ts";

/** `npm run soak -- --minutes N --seed S`: steady work under random kills of every service; the last line is JSON. */
const given = readSoakArguments(process.argv.slice(2));
if (typeof given === "string") {
  process.stderr.write(`${given}\n`);
  process.exit(2);
}
const { minutes, seed } = given;
const SETTLE_LIMIT_MS = 180_000;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const logger = createLogger({ service: "soak", level: "info" });
const stack = await startFaultStack({ document: () => SOAK_DOCUMENT });
try {
  const random = seededRandom(seed);
  stack.script(soakAnswer(seededRandom(seed + 1)));
  const over = new AbortController();
  const killer = startKiller({ stack, random, logger, signal: over.signal });
  const load = startLoad(stack, over.signal);
  await delay(minutes * 60_000);
  over.abort();
  const loaded = await load;
  await killer.done;
  if (!(await untilSettled(stack, SETTLE_LIMIT_MS))) say("Not everything came to an end in time");
  const { runs, tasks, lost, doubled } = await judgeRuns(stack, loaded);
  for (const { rule, id, problem } of [...lost, ...doubled]) say(`${rule} ${id}: ${problem}`);
  const counts = { runs, tasks, kills: killer.kills, lost: lost.length, doubled: doubled.length };
  const report: SoakReport = { seed, ...counts, recovery_ms: recoveryOf(killer.recoveriesMs) };
  const ackWaitMs = stack.deps.config.delivery.ack_wait_seconds * 1000;
  const faults = soakFaults(report, { minutes, ackWaitMs });
  for (const fault of faults) say(`soak: ${fault}`);
  say(`${faults.length === 0 ? runs : 0} passed, ${faults.length} failed`);
  say(JSON.stringify(report));
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  await stack.stop();
}
