import { join } from "node:path";

import { type Config, isAntlerError } from "@antler/contracts";
import { loadConfig } from "@antler/platform";

import { runWithStack } from "../run-with-stack.ts";
import { isSetupError, SetupError } from "../setup-error.ts";
import { namesProvider } from "../stack/model-choice.ts";
import type { Stack, StackOptions } from "../stack/stack-options.ts";
import type { DemoArguments } from "./demo-arguments.ts";
import { type DemoLine, emptyLine } from "./demo-line.ts";
import { createGatewayClient } from "./gateway/gateway-client.ts";
import { resultText } from "./print-result.ts";
import { survey } from "./survey.ts";
import { createProgressDisplay, type Terminal } from "./view/progress-display.ts";
import { inMegabytes, scanWorkspace, show, type WorkspaceScan } from "./workspace/scan-workspace.ts";

export interface DemoOptions {
  readonly root: string;
  readonly args: DemoArguments;
  readonly environment: NodeJS.ProcessEnv;
  /** Where the demo's own output goes. */
  readonly output: Terminal;
  /** Where preparation and faults are told. */
  readonly say: (line: string) => void;
}

interface Demo extends DemoOptions {
  readonly config: Config;
  readonly scan: WorkspaceScan;
  readonly print: (line: string) => void;
  readonly record: DemoRecord;
}

/** What the machine-readable line will say. */
interface DemoRecord {
  line: DemoLine;
}

const answersModule = "deploy/local/src/demo/replay/survey-answers.ts";

/** Runs the demo and returns its exit code: 0 when the survey is done, 130 after Ctrl-C, 1 otherwise. */
export async function runDemo(options: DemoOptions): Promise<number> {
  const isReplayed = !namesProvider(options.environment);
  const record: DemoRecord = { line: emptyLine(isReplayed ? "replayed" : "unknown") };
  let lastSaid = "";
  const say = (line: string): void => {
    lastSaid = line;
    options.say(line);
  };
  const exitCode = await attempt({ ...options, say }, record, isReplayed);
  if (exitCode === 130) record.line = { ...record.line, status: "interrupted", error: "Interrupted by Ctrl-C" };
  else if (exitCode !== 0) addError(record, lastSaid.replace(/^antler: /, ""));
  if (options.args.json) options.output.write(`${JSON.stringify(record.line)}\n`);
  return exitCode;
}

/** A run that succeeded without the files it should have written has failed as a demo. */
function addError(record: DemoRecord, error: string): void {
  const { line } = record;
  record.line = { ...line, status: line.status === "success" ? "error" : line.status, error: line.error ?? error };
}

async function attempt(options: DemoOptions, record: DemoRecord, isReplayed: boolean): Promise<number> {
  const print = (line: string): void => void options.output.write(`${line}\n`);
  print(isReplayed ? replayedNotice : "The model's answers come from the provider that the environment names.");
  try {
    const demo = await prepare(options, record, print);
    return await runWithStack(stackOptions(demo), (stack, interrupt) => work(demo, stack, interrupt));
  } catch (error) {
    options.say(`antler: ${isSetupError(error) ? error.message : unexpected(error)}`);
    return 1;
  }
}

function unexpected(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

const replayedNotice =
  "Model answers are replayed: neither OPENAI_API_KEY, OPENAI_BASE_URL nor ANTHROPIC_API_KEY is set. " +
  "All else is real: processes, bus, store, sandbox, commands and files.";

/** Everything that can be wrong with the configuration and the workspace is told before anything is started. */
async function prepare(options: DemoOptions, record: DemoRecord, print: Demo["print"]): Promise<Demo> {
  const environment = {
    ...options.environment,
    ...(options.args.allowHostBash && { ANTLER_ALLOW_HOST_BASH: "true" }),
  };
  const config = await readConfig(options.root, environment);
  const { workspace } = options.args;
  const scan = await scanWorkspace(workspace, config.sandbox.upload);
  print(`Workspace ${show(workspace)}: ${scan.files.length} files, ${inMegabytes(scan.sizeBytes)}`);
  if (scan.leftOut.length > 0) print(leftOutNotice(scan.leftOut));
  return { ...options, environment, config, scan, print, record };
}

function leftOutNotice(paths: readonly string[]): string {
  const named = paths.slice(0, 3).map(show).join(", ");
  return `Left out since they are no regular files (links, pipes, devices): ${named}${paths.length > 3 ? ` and ${paths.length - 3} more` : ""}`;
}

async function readConfig(root: string, environment: NodeJS.ProcessEnv): Promise<Config> {
  try {
    return await loadConfig({ path: environment["ANTLER_CONFIG"] ?? join(root, "antler.yaml"), environment });
  } catch (error) {
    if (isAntlerError(error)) throw new SetupError(error.message, { cause: error });
    throw error;
  }
}

function stackOptions({ root, environment, args, say }: Demo): Omit<StackOptions, "signal"> {
  return { root, environment, verbose: args.verbose, modelStandIn: { module: answersModule }, say };
}

async function work(demo: Demo, stack: Stack, interrupt: AbortSignal): Promise<number> {
  const { root, config, scan, output, print, record, say } = demo;
  if (stack.missingSandbox !== undefined) sayUnisolated(stack.missingSandbox, config, print);
  const note = (known: Partial<DemoLine>): void => void (record.line = { ...record.line, ...known });
  const client = createGatewayClient(stack.url);
  const display = createProgressDisplay(output);
  const result = await survey({ root, client, scan, display, print, note }, stack, interrupt);
  record.line = result.line;
  print(resultText(result));
  if (result.line.error === undefined) return 0;
  say(`antler: ${result.line.error}`);
  return 1;
}

function sayUnisolated(reason: string, config: Config, print: Demo["print"]): void {
  if (!config.sandbox.allow_host_bash) {
    throw new SetupError(`${reason}. To run commands unisolated instead: npm run demo -- --allow-host-bash`);
  }
  print(`Commands run unisolated on this machine: ${reason}`);
}
