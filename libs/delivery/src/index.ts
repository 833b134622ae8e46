export { type CancelRequest, cancelRun } from "./cancel-run.ts";
export { type Backends, type BackendsOptions, connectBackends } from "./connect-backends.ts";
export { createDelegation, type DelegateRequest, type Delegation } from "./delegation.ts";
export type { DeliveryDeps } from "./delivery-deps.ts";
export { createEndedCalls, type EndedCalls } from "./ended-calls.ts";
export { createEventAppender, type EventAppender } from "./event-appender.ts";
export { readRunEvents, type ReadRunEventsOptions } from "./event-reader.ts";
export { createKinds, type Kinds } from "./kinds.ts";
export type { Lease } from "./lease.ts";
export { publishLive, subscribeLive } from "./live.ts";
export { type Reconciler, type ReconcilerOptions, startReconciler } from "./reconciler.ts";
export { retryDeadLetter, type RetryDeps } from "./retry-dead-letter.ts";
export { createRunIntake, type RunIntake } from "./run-intake.ts";
export { type LogState, type RunKind, type RunOutcome, sealIfEnded } from "./run-kind.ts";
export { type RunnerDeps, type RunnerOptions, runRunner, type StartedRunner } from "./run-runner.ts";
export {
  type RunnerIdentity,
  type RunWorkerOptions,
  startRunWorker,
  startTaskWorker,
  type TaskWorkerOptions,
} from "./start-workers.ts";
export { replayedRun, type RunRequest, submitRun } from "./submit-run.ts";
export type { TaskKind, TaskOutcome } from "./task-kind.ts";
export { createUsageWriter, type UsageWriter } from "./usage-writer.ts";
export { type WaitOptions, waitUntilTerminal } from "./wait-until-terminal.ts";
export type { Worker } from "./worker.ts";
