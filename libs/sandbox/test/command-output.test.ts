import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createOutputCollector } from "../src/command-output.ts";
import { OUTPUT_MAX_CHARS } from "../src/index.ts";

function collect(chunks: readonly Buffer[]): { output: string; truncated: boolean } {
  const collector = createOutputCollector((text) => text);
  for (const chunk of chunks) {
    const reused = Buffer.from(chunk);
    collector.push(reused);
    reused.fill(0x21);
  }
  return collector.end();
}

function split(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}

describe("the output collector", () => {
  it("gives short output as it is, characters split anywhere", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), fc.integer({ min: 1, max: 7 }), (text, size) => {
        const whole = Buffer.from(text);
        expect(collect(split(whole, size))).toEqual({ output: whole.toString(), truncated: false });
      }),
      { numRuns: 100 },
    );
  });

  it.each([1, 2, 3, 4, 5])("keeps head and tail within the limit, without broken characters (offset %i)", (offset) => {
    const text = `HEAD${"x".repeat(offset)}${"🙂".repeat(400_000)}TAIL`;

    const { output, truncated } = collect(split(Buffer.from(text), 4093));

    expect(truncated).toBe(true);
    expect(output.length).toBeLessThanOrEqual(OUTPUT_MAX_CHARS);
    expect(output.length).toBeGreaterThan(OUTPUT_MAX_CHARS - 100);
    expect(output.startsWith("HEAD")).toBe(true);
    expect(output.endsWith("🙂TAIL")).toBe(true);
    expect(output).not.toContain("\ufffd");
    expect(output.isWellFormed()).toBe(true);
    expect(output).toMatch(/\n… \d+ bytes left out …\n/);
  });

  it("cuts what is a little too long, and what fits exactly not", () => {
    expect(collect([Buffer.from("x".repeat(OUTPUT_MAX_CHARS))]).truncated).toBe(false);
    expect(collect([Buffer.from("x".repeat(OUTPUT_MAX_CHARS + 1))]).truncated).toBe(true);
  });

  it("keeps exactly the ends of any stream", () => {
    const bytes = Buffer.from(Array.from({ length: 700_000 }, (_, index) => String(index % 10)).join(""));
    for (const size of [1, 65_536, 200_000, 700_000].slice(1)) {
      const { output } = collect(split(bytes, size));
      expect(bytes.toString().startsWith(output.slice(0, 9000))).toBe(true);
      expect(bytes.toString().endsWith(output.slice(-9000))).toBe(true);
    }
  });
});
