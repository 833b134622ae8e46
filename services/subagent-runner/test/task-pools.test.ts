import { describe, expect, it } from "vitest";

import { parseConfig } from "@antler/contracts";

import { taskPools } from "../src/task-pools.ts";

const config = parseConfig({ pools: { gpu: {} } }, {});

describe("taskPools", () => {
  it.each([undefined, "", " , "])("takes every pool of tasks when %j restricts nothing", (restriction) => {
    expect(taskPools(config, restriction)).toEqual(["general", "bash", "gpu"]);
  });

  it("takes only the pools that are named", () => {
    expect(taskPools(config, "gpu, bash")).toEqual(["gpu", "bash"]);
  });

  it.each(["lead", "checker", "nope"])("refuses %s by name", (name) => {
    expect(() => taskPools(config, `bash,${name}`)).toThrow(
      expect.objectContaining({
        code: "config_invalid",
        message: `ANTLER_POOLS names ${name}; pools that take tasks are general, bash, gpu`,
      }) as Error,
    );
  });
});
