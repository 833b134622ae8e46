import type { BaseCheckpointSaver } from "@langchain/langgraph";

import type { ExecutionDeps } from "../execution-deps.ts";
import type { Delegate, EndedCalls, PublishLive } from "../ports.ts";

/** What the execution of one claimed run stands on. */
export interface RunDeps extends ExecutionDeps {
  /** The run's checkpoints, fenced by this claim. */
  readonly saver: BaseCheckpointSaver;
  readonly publishLive: PublishLive;
  /** Bound to this run and claim. */
  readonly delegate: Delegate;
  /** Bound to the run's thread. */
  readonly endedCalls: EndedCalls;
}
