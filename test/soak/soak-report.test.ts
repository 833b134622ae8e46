import { describe, expect, it } from "vitest";

import { seededRandom } from "./seeded-random.ts";
import { recoveryOf, soakFaults, type SoakReport } from "./soak-report.ts";

const clean: SoakReport = {
  seed: 1,
  runs: 40,
  tasks: 400,
  kills: { gateway: 3, "lead-runner": 3, "subagent-runner": 3 },
  lost: 0,
  doubled: 0,
  recovery_ms: { median: 14_000, max: 20_000 },
};
const terms = { minutes: 2, ackWaitMs: 15_000 };

describe("soakFaults", () => {
  it("finds none in a clean soak", () => {
    expect(soakFaults(clean, terms)).toEqual([]);
  });

  it.each<[string, Partial<SoakReport>, RegExp]>([
    ["something lost", { lost: 1 }, /1 lost/],
    ["something doubled", { doubled: 2 }, /2 doubled/],
    ["a slow recovery", { recovery_ms: { median: 1, max: 20_001 } }, /20001 ms/],
    ["kills that met no work", { recovery_ms: { median: null, max: null } }, /had work/],
    ["a service that was hardly killed", { kills: { ...clean.kills, gateway: 2 } }, /gateway was killed 2 times/],
    ["too few tasks", { tasks: 399 }, /too few/],
  ])("names %s", (_what, fields, expected) => {
    expect(soakFaults({ ...clean, ...fields }, terms).join()).toMatch(expected);
  });
});

describe("recoveryOf", () => {
  it("gives median and maximum", () => {
    expect(recoveryOf([9, 1, 5])).toEqual({ median: 5, max: 9 });
    expect(recoveryOf([])).toEqual({ median: null, max: null });
  });
});

describe("seededRandom", () => {
  it("repeats itself for the same seed", () => {
    const draw = (seed: number) => seededRandom(seed).shuffled([1, 2, 3, 4, 5, 6, 7, 8]);

    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
  });
});
