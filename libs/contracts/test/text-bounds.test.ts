import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { boundText, headOf, tailOf } from "../src/index.ts";

const text = fc.string({ unit: fc.constantFrom("a", "é", "😀", " ", "\n", "e\u0301") });
const max = fc.integer({ min: 0, max: 40 });

describe("bounded texts", () => {
  it("DF-S6: are a plain prefix when there is no room for a break", () => {
    expect([boundText("abcdef", 3), boundText("abcdef", 5), boundText("abcdef", 0)]).toEqual(["abc", "abcde", ""]);
  });

  it("keep two thirds of the room at the head and the rest at the tail", () => {
    const bound = boundText(`${"h".repeat(3000)}${"t".repeat(3000)}`, 2000);

    expect(bound).toBe(`${"h".repeat(1333)}\n...\n${"t".repeat(662)}`);
  });

  it("are stripped, and whole when they fit", () => {
    expect(boundText("  abc\n", 3)).toBe("abc");
  });

  it("never exceed the bound and never cut a character in two", () => {
    fc.assert(
      fc.property(text, max, (whole, limit) => {
        for (const bound of [boundText(whole, limit), headOf(whole, limit), tailOf(whole, limit)]) {
          expect(bound.length).toBeLessThanOrEqual(limit);
          expect(bound.isWellFormed()).toBe(true);
        }
      }),
    );
  });

  it("begin and end where the text does", () => {
    fc.assert(
      fc.property(text, max, (whole, limit) => {
        expect(whole.startsWith(headOf(whole, limit))).toBe(true);
        expect(whole.endsWith(tailOf(whole, limit))).toBe(true);
      }),
    );
  });
});
