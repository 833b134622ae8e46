import { describe, expect, it } from "vitest";

import { encodeTicket } from "@antler/contracts";
import { newId } from "@antler/platform";

import { readDelivery } from "../src/read-delivery.ts";

const MINUTE_MS = 60_000;
const ticket = { kind: "run", id: newId(), version: 1, dispatch: 1, round: 0 } as const;
const newer = JSON.stringify({ kind: "run", id: newId(), version: 2, more: true });

/** A message whose age may only be asked for where it matters. */
const message = (text: string, ageMs?: number) => ({
  text,
  ageMs: () => (ageMs === undefined ? Promise.reject(new Error("Nobody knows the age")) : Promise.resolve(ageMs)),
});

describe("a message", () => {
  it("that is a ticket is taken, whatever its age", async () => {
    expect(await readDelivery(message(encodeTicket(ticket)), "run")).toEqual({ kind: "ticket", ticket });
  });

  it.each([
    ["of another kind", encodeTicket(ticket), "task", "Ticket is for a run, expected a task"],
    ["that is no ticket", "no ticket at all", "run", /^Ticket is malformed: /],
  ] as const)("%s is put aside at once", async (_what, text, expected, reason) => {
    const reading = await readDelivery(message(text), expected);
    expect(reading).toMatchObject({ kind: "bury", reason: expect.stringMatching(reason) as string });
  });

  it.each([0, 9.9 * MINUTE_MS])("of a newer version is handed back while it is %d ms old", async (ageMs) => {
    expect(await readDelivery(message(newer, ageMs), "run")).toEqual({ kind: "hand_back", delayMs: 5000 });
  });

  it("of a newer version is put aside when it is ten minutes old", async () => {
    const reading = await readDelivery(message(newer, 10 * MINUTE_MS), "run");
    expect(reading).toEqual({ kind: "bury", reason: "Ticket version 2 is unknown" });
  });

  it("of a newer version stays where it is while the server does not tell its age", async () => {
    await expect(readDelivery(message(newer), "run")).rejects.toThrow("Nobody knows the age");
  });
});
