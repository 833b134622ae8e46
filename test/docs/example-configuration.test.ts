import { resolve } from "node:path";

import { describe, expect, it } from "vitest";

import { parseConfig } from "@antler/contracts";
import { loadConfig } from "@antler/platform";

const path = resolve(import.meta.dirname, "../../antler.yaml");

describe("antler.yaml", () => {
  it("is valid and says the defaults", async () => {
    expect(await loadConfig({ path, environment: {} })).toEqual(parseConfig({}, {}));
  });
});
