import type { StopReason } from "@antler/contracts";

export type GuardStop = Extract<
  StopReason,
  "loop_capped" | "token_capped" | "safety_capped" | "model_length_capped" | "subagent_limit_capped"
>;

/** Why a guard made an agent stop; of several reasons the first holds. */
export interface GuardReason {
  note(reason: GuardStop): void;
  /** Null while no guard has stopped the agent. */
  get(): GuardStop | null;
}

export function createGuardReason(): GuardReason {
  let first: GuardStop | null = null;
  return {
    note(reason) {
      first ??= reason;
    },
    get: () => first,
  };
}
