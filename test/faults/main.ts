import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { natsServerBinary } from "../harness/nats.ts";
import { runVitest } from "../harness/run-vitest.ts";
import { readFaultArguments } from "./fault-arguments.ts";
import { faultMatrix, type FaultReport } from "./fault-matrix.ts";
import { provideNewerServer, versionOf } from "./newer-nats-server.ts";

/** The cases mostly wait for leases to run out, so that two stacks hardly disturb each other. */
const STACKS_AT_ONCE = 2;
/** What is tested again on a newer nats-server: the faults of the bus, and the package that speaks with it. */
const ON_NEWER_SERVER = ["--project=faults", "--project=test", "test/faults/bus-faults.test.ts", "libs/bus"];

/**
 * `npm run test:faults [-- --short | FILES]`: injects every fault, judges every run, prints the matrix. Without arguments
 * the faults of the bus are injected once more on a newer nats-server, the one of NATS_SERVER_NEWER or Debian's.
 */
const root = resolve(import.meta.dirname, "../..");
const say = (line: string): void => void process.stdout.write(`${line}\n`);

interface Round {
  readonly selection: readonly string[];
  readonly natsServer: string;
}

async function inject({ selection, natsServer }: Round) {
  const folder = await mkdtemp(join(tmpdir(), "antler-fault-report-"));
  const report = join(folder, "report.json");
  try {
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile=${report}`];
    const vitest = [`--maxWorkers=${STACKS_AT_ONCE}`, ...reporters, ...selection];
    const code = await runVitest(root, vitest, { ...process.env, NATS_SERVER: natsServer });
    const matrix = faultMatrix(JSON.parse(await readFile(report, "utf8")) as FaultReport);
    return { ...matrix, code, title: `On nats-server ${await versionOf(natsServer).catch(() => "of the path")}:` };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The round on a newer server; undefined, with the reason said at the end, where there is none. */
async function newerRound(): Promise<Round | { readonly missing: string }> {
  const folder = join(root, ".antler/tools/newer-nats-server");
  const named = process.env["NATS_SERVER_NEWER"];
  const newer = await provideNewerServer({ folder, named: named === "" ? undefined : named });
  if ("missing" in newer) return newer;
  return { selection: ON_NEWER_SERVER, natsServer: newer.path };
}

const asked = readFaultArguments(process.argv.slice(2));
if (typeof asked === "string") {
  process.stderr.write(`${asked}\n`);
  process.exit(2);
}
const { selection } = asked;
const results = [await inject({ selection: ["--project=faults", ...selection], natsServer: natsServerBinary() })];
const second = selection.length === 0 ? await newerRound() : undefined;
if (second !== undefined && !("missing" in second)) results.push(await inject(second));

for (const { title, lines } of results) say(["", title, ...lines].join("\n"));
if (second !== undefined && "missing" in second) {
  say(`\nNot tested on a newer nats-server, which could not be had: ${second.missing}`);
  say("NATS_SERVER_NEWER may name one.");
}
const passed = results.reduce((sum, result) => sum + result.passed, 0);
const failed = results.reduce((sum, result) => sum + result.failed, 0);
say(`${passed} passed, ${failed} failed`);
process.exitCode = results.every(({ code }) => code === 0) && failed === 0 && passed > 0 ? 0 : 1;
