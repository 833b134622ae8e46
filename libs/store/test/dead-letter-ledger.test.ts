import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { newId } from "@antler/platform";

import type { DeadLetterLedger } from "../src/index.ts";
import { startStore, type StoreHarness } from "./store-harness.ts";

let harness: StoreHarness;
let deadLetters: DeadLetterLedger;

beforeAll(async () => {
  harness = await startStore();
  deadLetters = harness.store.deadLetters;
});
afterAll(() => harness.stop());

const aLetter = (reason: string) => ({
  _id: newId(),
  stream: "TASKS",
  subject: "tasks.general.interactive",
  reason,
  payload: "{",
  headers: { "Nats-Msg-Id": "a:1" },
  row_id: null,
});

describe("dead letters", () => {
  it("are recorded once, listed oldest first and discarded", async () => {
    const [first, second] = [aLetter("ticket_malformed"), aLetter("ticket_version_unknown")];
    await deadLetters.record(first);
    await deadLetters.record(second);
    await deadLetters.record({ ...first, reason: "again" });
    const listed = async () => (await deadLetters.list({ limit: 10, offset: 0 })).map(({ _id }) => _id);
    expect(await listed()).toEqual([first._id, second._id]);
    expect(await deadLetters.get(first._id)).toMatchObject({ reason: "ticket_malformed", headers: first.headers });
    expect(await deadLetters.discard(first._id)).toBe(true);
    expect(await deadLetters.discard(first._id)).toBe(false);
    expect(await deadLetters.get(first._id)).toBeUndefined();
    expect(await listed()).toEqual([second._id]);
  });
});
