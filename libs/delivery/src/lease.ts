import { AntlerError, isAntlerError, messageOf } from "@antler/contracts";
import { type Logger, monotonicMs } from "@antler/platform";
import type { CancelMark, Fence } from "@antler/store";

/** The right to work on a row, as the executing code sees it. */
export interface Lease {
  readonly epoch: number;
  readonly attempt: number;
  readonly round: number;
  readonly claimId: string;
  /** Aborts when the work must stop; the reason is an AntlerError: lease_lost, cancelled, deadline_exceeded or drained. */
  readonly signal: AbortSignal;
  /** Synchronous, by the monotonic clock; called before every model call, tool call and write. @throws the abort reason. */
  assertHeld(): void;
}

export interface HeldLease extends Lease {
  /** Renews now: after a cancel signal, so that the mark is read at once. */
  check(): void;
  abort(reason: AntlerError): void;
  /** How long the row is surely still held, in milliseconds. */
  remainingMs(): number;
  /** Ends the heartbeat. The lease itself runs out or was settled. */
  stop(): void;
}

export interface LeaseOptions {
  readonly fence: Fence;
  readonly attempt: number;
  readonly round: number;
  /** Monotonic time before the claim was sent. */
  readonly claimedAtMs: number;
  readonly leaseMs: number;
  readonly renewalMs: number;
  readonly executionLimitMs: number;
  renew(): Promise<{ readonly cancel: CancelMark | null } | undefined>;
  /** Tells the bus that the message is still in work. */
  working(): void;
  readonly logger: Logger;
}

/** Time kept back so that a slow process gives up before the store lets another one in. */
const SAFETY_MS = 500;

/** A renewal that failed is tried again soon: until the next one is due, half of the lease may be gone. */
const RETRY_MS = 500;

/** Keeps a claimed row held by timers of its own, whatever the executing code does. */
export function holdLease(options: LeaseOptions): HeldLease {
  const { fence, leaseMs, logger } = options;
  const controller = new AbortController();
  let retry: NodeJS.Timeout | undefined;
  let stopped = false;
  let heldUntilMs = options.claimedAtMs + leaseMs - SAFETY_MS;

  const abort = (reason: AntlerError) => {
    if (!controller.signal.aborted) controller.abort(reason);
  };
  const lost = (why: string) => {
    abort(new AntlerError("lease_lost", `Lease of ${fence.id} is lost: ${why}`));
  };
  const expire = () => {
    if (monotonicMs() >= heldUntilMs) lost("it could not be renewed in time");
  };
  const renew = async () => {
    const sentAtMs = monotonicMs();
    options.working();
    try {
      const renewed = await options.renew();
      if (renewed === undefined) lost("the row is no longer held");
      else heldUntilMs = sentAtMs + leaseMs - SAFETY_MS;
      if (renewed?.cancel != null) abort(cancelError(fence.id, renewed.cancel));
    } catch (error) {
      const level = isAntlerError(error, "store_unavailable") ? "warn" : "error";
      logger[level]({ id: fence.id, err: messageOf(error) }, "Lease could not be renewed");
      if (!stopped) retry = setTimeout(check, RETRY_MS);
    }
  };
  const check = oneAtATime(renew);
  if (monotonicMs() - options.claimedAtMs > options.renewalMs) check();
  const timers = [
    setInterval(check, options.renewalMs),
    setInterval(expire, SAFETY_MS),
    executionLimit(options, abort),
  ];

  return {
    epoch: fence.epoch,
    attempt: options.attempt,
    round: options.round,
    claimId: fence.claimId,
    signal: controller.signal,
    assertHeld() {
      expire();
      controller.signal.throwIfAborted();
    },
    check,
    abort,
    remainingMs: () => Math.max(0, heldUntilMs - monotonicMs()),
    stop() {
      stopped = true;
      timers.forEach(clearInterval);
      clearTimeout(retry);
    },
  };
}

/** Begins the work unless it is going on; then once more afterwards, since what it read may be older than the wish. */
function oneAtATime(work: () => Promise<void>): () => void {
  let running = false;
  let again = false;
  const begin = (): void => {
    again = running;
    if (running) return;
    running = true;
    void work().finally(() => {
      running = false;
      if (again) begin();
    });
  };
  return begin;
}

function executionLimit({ executionLimitMs }: LeaseOptions, abort: (reason: AntlerError) => void): NodeJS.Timeout {
  const seconds = Math.round(executionLimitMs / 1000);
  const end = () => {
    abort(new AntlerError("deadline_exceeded", `Execution timed out after ${seconds} seconds`));
  };
  return setTimeout(end, Math.min(executionLimitMs, MAX_TIMER_MS));
}

/** Longest time that a timer of the runtime can take. */
const MAX_TIMER_MS = 2 ** 31 - 1;

function cancelError(id: string, { action }: CancelMark): AntlerError {
  const why = action === "parent_ended" ? "its run has ended" : "a user cancelled it";
  return new AntlerError("cancelled", `${id} was cancelled: ${why}`, { details: { action } });
}
