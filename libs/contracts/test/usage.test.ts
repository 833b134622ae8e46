import { describe, expect, it } from "vitest";

import { addUsage, TokenUsage, usageKey } from "../src/index.ts";

const call = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };

describe("token usage", () => {
  it("adds up from nothing", () => {
    expect(addUsage(addUsage(null, call), { ...call, cache_read_tokens: 4 })).toEqual({
      input_tokens: 20,
      output_tokens: 10,
      total_tokens: 30,
      cache_read_tokens: 4,
    });
  });

  it("leaves the cache out while no call has read from it", () => {
    expect(addUsage(call, call)).not.toHaveProperty("cache_read_tokens");
  });

  it("takes only the counts of a record", () => {
    expect(addUsage(null, { ...call, key: "k" } as TokenUsage)).toEqual(call);
  });

  it.each([{ input_tokens: true }, { input_tokens: -1 }, { output_tokens: 1.5 }, { total_tokens: undefined }])(
    "refuses %j",
    (fault) => {
      expect(TokenUsage.safeParse({ ...call, ...fault }).success).toBe(false);
    },
  );

  it("has a key for each call of each claim", () => {
    expect(usageKey("t", 2, 3)).toBe("t:2:3");
  });
});
