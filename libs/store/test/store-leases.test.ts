import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { newId } from "@antler/platform";

import type { Store } from "../src/index.ts";
import { startStore, type StoreHarness } from "./store-harness.ts";

let harness: StoreHarness;
let store: Store;

beforeAll(async () => {
  harness = await startStore();
  store = harness.store;
});
afterAll(() => harness.stop());

const LONG_MS = 60_000;

describe("a lease", () => {
  it("has one holder, who may take it again", async () => {
    const name = newId();
    expect(await store.leases.acquire(name, "a", LONG_MS)).toBe(true);
    expect(await store.leases.acquire(name, "b", LONG_MS)).toBe(false);
    expect(await store.leases.acquire(name, "a", LONG_MS)).toBe(true);
  });

  it("goes to exactly one of many that ask at once", async () => {
    const name = newId();
    const stores = await Promise.all(Array.from({ length: 4 }, () => harness.connect()));
    const holders = Array.from({ length: 20 }, (_, index) => `holder-${index}`);
    const asked = holders.map((holder, index) => stores[index % 4]!.leases.acquire(name, holder, LONG_MS));
    expect((await Promise.all(asked)).filter(Boolean)).toHaveLength(1);
  });

  it("is free again once its time is over, and cannot be renewed then", async () => {
    const name = newId();
    await store.leases.acquire(name, "a", 1);
    await expect.poll(() => store.leases.acquire(name, "b", LONG_MS)).toBe(true);
    expect(await store.leases.renew(name, "a", LONG_MS)).toBe(false);
  });

  it("is extended by its holder only", async () => {
    const name = newId();
    await store.leases.acquire(name, "a", LONG_MS);
    const before = (await harness.collections.leases.findOne({ _id: name }))!.until;
    expect(await store.leases.renew(name, "b", 2 * LONG_MS)).toBe(false);
    expect(await store.leases.renew(name, "a", 2 * LONG_MS)).toBe(true);
    const after = (await harness.collections.leases.findOne({ _id: name }))!.until;
    expect(after.getTime() - before.getTime()).toBeGreaterThan(LONG_MS / 2);
  });

  it("is given back by its holder only", async () => {
    const name = newId();
    await store.leases.acquire(name, "a", LONG_MS);
    await store.leases.release(name, "b");
    expect(await store.leases.acquire(name, "b", LONG_MS)).toBe(false);
    await store.leases.release(name, "a");
    expect(await store.leases.acquire(name, "b", LONG_MS)).toBe(true);
  });

  it("takes a holder's name literally", async () => {
    const name = newId();
    expect(await store.leases.acquire(name, "$holder", LONG_MS)).toBe(true);
    expect((await harness.collections.leases.findOne({ _id: name }))?.holder).toBe("$holder");
  });
});

describe("exclusive", () => {
  it("runs the task of one and tells the others that it did not", async () => {
    const name = newId();
    const gate = Promise.withResolvers<string>();
    const first = store.leases.exclusive(name, () => gate.promise);
    await expect.poll(() => harness.collections.leases.countDocuments({ _id: name })).toBe(1);
    expect(await store.leases.exclusive(name, async () => "second")).toBeUndefined();
    gate.resolve("first");
    expect(await first).toBe("first");
    expect(await store.leases.exclusive(name, async () => "third")).toBe("third");
  });

  it("gives the lease back when the task fails", async () => {
    const name = newId();
    const failing = store.leases.exclusive(name, async () => {
      throw new Error("task failed");
    });
    await expect(failing).rejects.toThrow("task failed");
    expect(await store.leases.exclusive(name, async () => "next")).toBe("next");
  });
});
