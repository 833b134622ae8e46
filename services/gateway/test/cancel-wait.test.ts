import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { AntlerError } from "@antler/contracts";
import type { RunRow } from "@antler/store";

import { waitUntilCancelled } from "../src/cancel-wait.ts";
import { untilAborted } from "./gateway-stack.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const run = { _id: "r", status: "running" } as RunRow;
const closing = new AbortController().signal;
const endless = { ended: (_runId: string, signal: AbortSignal) => untilAborted({ signal }) };

it("ends after a minute", async () => {
  const waiting = waitUntilCancelled({ runs: endless, closing }, run);

  await Promise.all([
    expect(waiting).rejects.toMatchObject({ code: "wait_timeout" }),
    vi.advanceTimersByTimeAsync(60_000),
  ]);
});

it("ends with the reason of a gateway that closes", async () => {
  const controller = new AbortController();
  const waiting = waitUntilCancelled({ runs: endless, closing: controller.signal }, run);

  controller.abort(new AntlerError("shutting_down", "The gateway is shutting down"));

  await expect(waiting).rejects.toMatchObject({ code: "shutting_down" });
});

it("tells a failure as what it is", async () => {
  const runs = { ended: () => Promise.reject(new AntlerError("store_unavailable", "No store")) };

  await expect(waitUntilCancelled({ runs, closing }, run)).rejects.toMatchObject({ code: "store_unavailable" });
});
