import { describe, expect, it } from "vitest";

import { restartDelayMs } from "../../src/supervisor/restart-delay.ts";

describe("restartDelayMs", () => {
  it("doubles from 0.2 s and stays at 5 s", () => {
    expect([0, 1, 2, 3, 4, 5, 1000].map(restartDelayMs)).toEqual([200, 400, 800, 1600, 3200, 5000, 5000]);
  });
});
