import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { newId } from "@antler/platform";

import type { DeadLetterDraft, DeadLetterLedger } from "../src/index.ts";
import { startStore, type StoreHarness } from "./store-harness.ts";

let harness: StoreHarness;
let deadLetters: DeadLetterLedger;

beforeAll(async () => {
  harness = await startStore();
  deadLetters = harness.store.deadLetters;
});
beforeEach(() => harness.collections.deadLetters.deleteMany({}));
afterAll(() => harness.stop());

const aLetter = (given: Partial<DeadLetterDraft> = {}): DeadLetterDraft => ({
  _id: newId(),
  tenant_id: null,
  stream: "TASKS",
  subject: "tasks.general.interactive",
  reason: "Ticket is malformed",
  payload: "{",
  headers: { "Nats-Msg-Id": "a:1" },
  row_id: null,
  ...given,
});

async function recordAt(letter: DeadLetterDraft, at: Date): Promise<void> {
  await deadLetters.record(letter);
  await harness.collections.deadLetters.updateOne({ _id: letter._id }, { $set: { created_at: at } });
}

const idsOf = (letters: readonly { readonly _id: string }[]) => letters.map(({ _id }) => _id);

describe("a dead letter", () => {
  it("is kept as it was first recorded, with the store's date", async () => {
    const letter = aLetter({ headers: { "a.b": "1", $set: "2", "": "3", "\0": "4" }, payload: "$payload" });
    await deadLetters.record(letter);
    await deadLetters.record({ ...letter, reason: "again" });

    expect(await deadLetters.get(letter._id)).toEqual({
      ...letter,
      retried: null,
      created_at: expect.any(Date) as Date,
    });
    expect(await deadLetters.list({ limit: 10 })).toHaveLength(1);
  });

  it("is gone when it was discarded, once", async () => {
    const letter = aLetter();
    await deadLetters.record(letter);

    expect([await deadLetters.discard(letter._id), await deadLetters.discard(letter._id)]).toEqual([true, false]);
    expect(await deadLetters.get(letter._id)).toBeUndefined();
  });

  it("names the run that took up its work; the first one stays", async () => {
    const letter = aLetter();
    await deadLetters.record(letter);
    await deadLetters.markRetried(letter._id, "run-1");
    await deadLetters.markRetried(letter._id, "run-2");

    expect((await deadLetters.get(letter._id))?.retried).toEqual({ run_id: "run-1", at: expect.any(Date) as Date });
  });

  it("is counted by its stream until somebody took care of it", async () => {
    const [first, second, third] = [aLetter(), aLetter(), aLetter({ stream: "RUNS" })];
    for (const letter of [first, second, third]) await deadLetters.record(letter);
    const counts = () => Promise.all(["RUNS", "TASKS", "CHECKS"].map((stream) => deadLetters.countOpen(stream)));

    expect(await counts()).toEqual([1, 2, 0]);
    await deadLetters.markRetried(third._id, "run-1");
    await deadLetters.discard(first._id);
    expect(await counts()).toEqual([0, 1, 0]);
  });
});

describe("the list of dead letters", () => {
  it("is newest first, page by page, also when some are of one moment and some go meanwhile", async () => {
    const now = Date.now();
    const letters = Array.from({ length: 9 }, (_value, index) => aLetter({ _id: `letter-${index}` }));
    for (const [index, letter] of letters.entries())
      await recordAt(letter, new Date(now - 1000 * Math.floor(index / 3)));
    const expected = [2, 1, 0, 5, 4, 3, 8, 7, 6].map((index) => `letter-${index}`);

    expect(idsOf(await deadLetters.list({ limit: 100 }))).toEqual(expected);
    const first = await deadLetters.list({ limit: 4 });
    await deadLetters.discard(first.at(-1)!._id);
    const second = await deadLetters.list({ limit: 4, after: first.at(-1)! });
    const third = await deadLetters.list({ limit: 4, after: second.at(-1)! });
    expect(idsOf([...first, ...second, ...third])).toEqual(expected);
    expect(await deadLetters.list({ limit: 100 })).toHaveLength(8);
  });

  it("shows the letters of the owners that were asked for", async () => {
    const [own, others, nobodys] = [aLetter({ tenant_id: "own" }), aLetter({ tenant_id: "other" }), aLetter()];
    for (const letter of [own, others, nobodys]) await deadLetters.record(letter);

    const found = await deadLetters.list({ limit: 10, owners: ["own", null] });

    expect(idsOf(found).toSorted()).toEqual([own._id, nobodys._id].toSorted());
  });
});
