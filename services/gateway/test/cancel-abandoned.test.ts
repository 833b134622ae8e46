import { expect, it, vi } from "vitest";

import { AntlerError, type ErrorCode } from "@antler/contracts";
import { createLogger } from "@antler/platform";
import type { RunRow } from "@antler/store";

import { cancelAbandoned } from "../src/cancel-abandoned.ts";
import type { GatewayDeps } from "../src/gateway-deps.ts";

const run = { _id: "r" } as RunRow;
const logger = createLogger({ service: "test", level: "fatal" });

interface Leaving {
  /** How many of the first cancels fail, and how. */
  readonly refused: number;
  readonly code: ErrorCode;
  readonly insistMs?: number;
  readonly closing?: AbortSignal;
}

function abandon({ refused, code, insistMs = 10_000, closing = new AbortController().signal }: Leaving) {
  const cancel = vi.fn(async () => {
    if (cancel.mock.calls.length <= refused) throw new AntlerError(code, "It failed");
    return run;
  });
  const runs = { cancel } as unknown as GatewayDeps["runs"];
  return { cancel, done: cancelAbandoned({ runs, logger, open: { closing } }, run, { insistMs, pauseMs: 10 }) };
}

it("is repeated while the store does not answer", async () => {
  const { cancel, done } = abandon({ refused: 3, code: "store_unavailable" });
  await done;

  expect(cancel.mock.calls).toHaveLength(4);
  expect(cancel).toHaveBeenLastCalledWith(run, "interrupt");
});

it("is given up after a while", async () => {
  const { cancel, done } = abandon({ refused: 1000, code: "store_unavailable", insistMs: 200 });
  await done;

  expect(cancel.mock.calls.length).toBeGreaterThan(1);
  expect(cancel.mock.calls.length).toBeLessThan(30);
});

it("is not repeated for a run that has ended", async () => {
  const { cancel, done } = abandon({ refused: 1, code: "run_not_cancellable" });
  await done;

  expect(cancel.mock.calls).toHaveLength(1);
});

it("ends with the gateway", async () => {
  const { cancel, done } = abandon({ refused: 1000, code: "store_unavailable", closing: AbortSignal.abort() });
  await done;

  expect(cancel.mock.calls).toHaveLength(1);
});
