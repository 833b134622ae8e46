import { existsSync } from "node:fs";

import type { RunView, TaskView } from "@antler/contracts";

import type { Stack } from "../stack/stack-options.ts";
import { type DemoLine, lineOf, type SurveyPaths, surveyPaths } from "./demo-line.ts";
import { followSurvey } from "./follow-survey.ts";
import type { GatewayClient, RunRef } from "./gateway/gateway-client.ts";
import { SURVEY_REQUEST } from "./survey-brief.ts";
import type { ProgressDisplay } from "./view/progress-display.ts";
import { packWorkspace } from "./workspace/pack-workspace.ts";
import type { WorkspaceScan } from "./workspace/scan-workspace.ts";

export interface SurveyDeps {
  /** The repository, under which the stack keeps its data. */
  readonly root: string;
  readonly client: GatewayClient;
  readonly scan: WorkspaceScan;
  readonly display: ProgressDisplay;
  readonly print: (line: string) => void;
  /** Told what is known of the run as soon as it is known. */
  readonly note: (known: Partial<DemoLine>) => void;
}

/** What came of a survey: the line for programs, and the model's answer. */
export interface SurveyResult {
  readonly line: DemoLine;
  readonly answer: string;
}

const bashRemedy =
  "Commands cannot run here, so nothing was counted. Install bubblewrap and allow user namespaces for it, or accept " +
  "unisolated commands with --allow-host-bash";

/** Uploads the workspace and lets the lead survey it. An interrupt cancels the run and rejects with its reason. */
export async function survey(
  deps: SurveyDeps,
  { isModelReplayed }: Pick<Stack, "isModelReplayed">,
  interrupt: AbortSignal,
): Promise<SurveyResult> {
  const { client, root, note } = deps;
  const run = await begin(deps, interrupt);
  note({ run_id: run.runId });
  const answer = await follow(deps, run, interrupt);
  const [view, tasks] = await Promise.all([client.getRun(run), client.listTasks(run.runId)]);
  return { line: judge(view, tasks, surveyPaths(root, run.threadId), isModelReplayed), answer };
}

async function begin({ client, scan, print, note }: SurveyDeps, interrupt: AbortSignal): Promise<RunRef> {
  const threadId = await client.createThread();
  note({ thread_id: threadId });
  const { files } = await client.uploadWorkspace(threadId, packWorkspace(scan.files), interrupt);
  print(`Uploaded ${files} files to thread ${threadId}`);
  const runId = await client.createRun(threadId, SURVEY_REQUEST);
  print(`Run ${runId}: the lead is to survey them with three subagents in parallel`);
  return { threadId, runId };
}

async function follow({ client, display, print }: SurveyDeps, run: RunRef, interrupt: AbortSignal): Promise<string> {
  try {
    return await followSurvey(client, run, display, interrupt);
  } catch (error) {
    if (!interrupt.aborted) throw error;
    print("Cancelling the run …");
    await client.cancelRun(run).catch(() => print("The run did not end in time; the next start settles it"));
    throw error;
  }
}

function judge(run: RunView, tasks: readonly TaskView[], paths: SurveyPaths, replayed: boolean): DemoLine {
  const model = replayed ? "replayed" : (tasks[0]?.model_name ?? "unknown");
  const line = lineOf(run, tasks, { ...paths, model });
  const fault = faultOf(run, tasks, paths);
  if (fault === undefined) return line;
  const written = (path: string) => (existsSync(path) ? path : null);
  const { countsPath, reportPath } = paths;
  return { ...line, counts_path: written(countsPath), report_path: written(reportPath), error: fault };
}

function faultOf(run: RunView, tasks: readonly TaskView[], paths: SurveyPaths): string | undefined {
  if (run.status !== "success")
    return run.error?.message ?? `The run ended as ${run.status} (${run.stop_reason ?? "?"})`;
  const failed = tasks.find((task) => task.status !== "completed");
  if (existsSync(paths.countsPath) && existsSync(paths.reportPath)) return undefined;
  if (!tasks.some((task) => task.subagent_type === "bash")) return bashRemedy;
  return `The survey wrote no counts or no report${failed === undefined ? "" : `: ${failed.error ?? failed.status}`}`;
}
