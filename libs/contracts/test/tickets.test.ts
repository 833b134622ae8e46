import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { encodeTicket, readTicket, type Ticket, TICKET_VERSION, ticketMessageId } from "../src/index.ts";
import { readGolden } from "./golden-file.ts";

const kinds = ["run-ticket", "task-ticket", "check-ticket"];
const counters = { dispatch: fc.integer({ min: 1 }), round: fc.nat(), version: fc.constant(1 as const) };
const anyTicket: fc.Arbitrary<Ticket> = fc.oneof(
  fc.record({ kind: fc.constant("run" as const), id: fc.uuid({ version: 7 }), ...counters }),
  fc.record({
    kind: fc.constant("task" as const),
    id: fc.uuid({ version: 7 }),
    run_id: fc.uuid({ version: 7 }),
    ...counters,
  }),
);

function reasonOf(text: string): string {
  const reading = readTicket(text);
  return reading.kind === "malformed" ? reading.reason : reading.kind;
}

describe("tickets", () => {
  it.each(kinds.flatMap((kind) => Array.from({ length: TICKET_VERSION }, (_, index) => `${kind}.v${index + 1}`)))(
    "read what version %s wrote",
    (name) => {
      const { text, value } = readGolden(name);

      expect(readTicket(text)).toEqual({ kind: "ticket", ticket: value });
    },
  );

  it("come back as they were written", () => {
    fc.assert(
      fc.property(anyTicket, (ticket) => {
        expect(readTicket(encodeTicket(ticket))).toEqual({ kind: "ticket", ticket });
      }),
    );
  });

  it("tell a newer version from what cannot be read", () => {
    const { value } = readGolden("run-ticket.v1");

    expect(readTicket(JSON.stringify({ ...value, version: 2, kind: "later" }))).toEqual({
      kind: "unknown_version",
      version: 2,
    });
  });

  it("ignore fields that they do not know", () => {
    const { value } = readGolden("task-ticket.v1");

    expect(readTicket(JSON.stringify({ ...value, later: true }))).toEqual({ kind: "ticket", ticket: value });
  });

  it.each([
    ["", "not JSON"],
    ["{", "not JSON"],
    ["[]", /expected object/i],
    ["null", /expected object/i],
    ['{"version":1,"kind":"other"}', /kind/],
    ['{"version":0,"kind":"run"}', /version/],
    ['{"version":"1","kind":"run"}', /version/],
    ['{"version":1,"kind":"run","id":"x","dispatch":1,"round":0}', /id/],
  ])("call %s malformed, with the reason", (text, reason) => {
    expect(reasonOf(text)).toMatch(reason);
  });

  it("never throw on any text, and keep the reason short", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(reasonOf(text).length).toBeLessThanOrEqual(500);
      }),
    );
  });

  it("have a message id of id and dispatch, so that a new publication is no duplicate", () => {
    expect([1, 2].map((dispatch) => ticketMessageId({ id: "a", dispatch }))).toEqual(["a:1", "a:2"]);
  });
});
