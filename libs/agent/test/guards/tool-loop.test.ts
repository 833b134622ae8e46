import { describe, expect, it } from "vitest";

import { LoopDetectionConfig } from "@antler/contracts";

import { createToolLoop } from "../../src/guards/tool-loop.ts";

const limits = LoopDetectionConfig.parse({});
const call = (name: string, args: Record<string, unknown> = {}) => ({ name, args, id: "c" });
const kinds = (sets: readonly ReturnType<typeof call>[][], given = limits) => {
  const loop = createToolLoop(given);
  return sets.map((calls) => loop.observe(calls).kind);
};
const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));

describe("a repeated set of tool calls", () => {
  it("is warned of once at the third time and stopped at the fifth", () => {
    expect(kinds(times(5, () => [call("ls", { path: "/a" })]))).toEqual(["none", "none", "warn", "none", "stop"]);
  });

  it("is the same in another order of calls, of arguments, and with other reasons given", () => {
    const first = [call("ls", { path: "/a", description: "look" }), call("grep", { pattern: "x", path: "/" })];
    const other = [call("grep", { path: "/", pattern: "x" }), call("ls", { path: "/a", description: "look again" })];

    expect(kinds([first, other, first])).toEqual(["none", "none", "warn"]);
  });

  it("is forgotten when it lies further back than the window", () => {
    const sets = [[call("a")], [call("a")], ...times(20, (index) => [call("b", { index })]), [call("a")]];

    expect(kinds(sets).at(-1)).toBe("none");
  });

  it("is a file that is read at the same place, and not one that is read on", () => {
    const read = (line: number) => [call("read_file", { path: "/f", start_line: line })];

    expect(kinds([read(1), read(150), read(199)])).toEqual(["none", "none", "warn"]);
    expect(kinds([read(1), read(201), read(401)])).toEqual(["none", "none", "none"]);
  });

  it("is nothing when an answer calls nothing", () => {
    expect(kinds(times(6, () => []))).toEqual(times(6, () => "none"));
  });
});

describe("one tool that is called over and over", () => {
  it("is warned of at the thirtieth call and stopped at the fiftieth, whatever its arguments", () => {
    const verdicts = kinds(times(50, (index) => [call("ls", { path: `/${index}` })]));

    expect(verdicts.indexOf("warn")).toBe(29);
    expect(verdicts.indexOf("stop")).toBe(49);
    expect(verdicts.filter((kind) => kind === "warn")).toHaveLength(1);
  });
});
