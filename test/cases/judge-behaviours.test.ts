import { describe, expect, it } from "vitest";

import { judgeBehaviours } from "./judge-behaviours.ts";

const groups = {
  A: [
    { id: "A1", says: "one" },
    { id: "A2", says: "two", cannotApply: "there is no two" },
  ],
};
const id = (name: string) => `DF-${name}`;
const passed = { fullName: `agent > ${id("A1")}: one`, status: "passed" };

describe("judging the behaviours", () => {
  it("counts what is shown and tells what cannot apply", () => {
    expect(judgeBehaviours(groups, [passed])).toEqual({
      lines: ["A: 1 of 2 are tests (1 in all), 1 cannot apply", `${id("A2")} cannot apply (two): there is no two`],
      passed: 1,
      failed: 0,
    });
  });

  it.each([
    { fault: "a missing test", results: [], line: `${id("A1")}: no test (one)` },
    {
      fault: "a skipped test",
      results: [passed, { fullName: `${id("A1")} again`, status: "skipped" }],
      line: `${id("A1")}: skipped: ${id("A1")} again`,
    },
    {
      fault: "an id that nobody knows",
      results: [passed, { fullName: id("A9"), status: "passed" }],
      line: `${id("A9")}: no such behaviour`,
    },
    {
      fault: "a test of what cannot apply",
      results: [passed, { fullName: id("A2"), status: "passed" }],
      line: `${id("A2")}: said not to apply, yet has a test`,
    },
  ])("fails on $fault", ({ results, line }) => {
    const verdict = judgeBehaviours(groups, results);

    expect(verdict.failed).toBe(1);
    expect(verdict.lines).toContain(line);
  });
});
