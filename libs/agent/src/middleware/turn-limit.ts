import { type AgentMiddleware, createMiddleware } from "langchain";

export interface TurnLimit {
  readonly middleware: AgentMiddleware;
  /** Counts model calls that were made before this execution. */
  countEarlier(calls: number): void;
  /** True once a model call was refused. */
  isReached(): boolean;
}

/** Refuses the model call after `maxModelCalls`. Retries of one call count once. */
export function createTurnLimit(maxModelCalls: number): TurnLimit {
  let calls = 0;
  const middleware = createMiddleware({
    name: "TurnLimit",
    wrapModelCall: (request, handler) => {
      calls += 1;
      if (calls > maxModelCalls) throw new Error(`Reached max_turns=${maxModelCalls}`);
      return handler(request);
    },
  });
  return {
    middleware,
    countEarlier(earlier) {
      calls += earlier;
    },
    isReached: () => calls > maxModelCalls,
  };
}
