import { describe, expect, it, vi } from "vitest";

import { AntlerError, type UsageRecord } from "@antler/contracts";
import { createLogger } from "@antler/platform";
import type { Store } from "@antler/store";

import { createUsageWriter } from "../src/usage-writer.ts";

const logger = createLogger({ service: "test", level: "fatal" });
const tokens = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
const record: UsageRecord = { key: "run:1:1", run_id: "run", caller: "lead", model_name: "m", ...tokens };
const away = () => new AntlerError("store_unavailable", "The store is away");

function aWriter(signal = new AbortController().signal) {
  const write = vi.fn<Store["usage"]["record"]>(async () => undefined);
  return { write, writer: createUsageWriter({ store: { usage: { record: write } }, logger }, { signal }) };
}

describe("createUsageWriter", () => {
  it("records again while the store is away", async () => {
    const { write, writer } = aWriter();
    write.mockRejectedValueOnce(away()).mockRejectedValueOnce(away());
    await writer.record([record]);

    expect(write.mock.calls).toEqual([[[record]], [[record]], [[record]]]);
  });

  it("gives up with the lease", async () => {
    const lease = new AbortController();
    const { write, writer } = aWriter(lease.signal);
    write.mockRejectedValue(away());
    const recording = writer.record([record]);
    lease.abort(new AntlerError("lease_lost", "Lost"));

    await expect(recording).rejects.toMatchObject({ code: "lease_lost" });
  });

  it("does not repeat what the store refuses", async () => {
    const { write, writer } = aWriter();
    write.mockRejectedValue(new TypeError("a bug"));

    await expect(writer.record([record])).rejects.toThrow("a bug");
    expect(write).toHaveBeenCalledTimes(1);
  });
});
