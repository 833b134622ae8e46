import { z } from "zod";

import { Name } from "./ids.ts";

const perLane = (interactive: number, batch: number) =>
  z
    .strictObject({
      interactive: z.int().min(1).max(10_000).default(interactive).describe("Of the lane that people wait for"),
      batch: z.int().min(1).max(10_000).default(batch).describe("Of the lane of batches"),
    })
    .prefault({});

/** How much of a pool runs at once. */
export const PoolConfig = z
  .strictObject({
    concurrency: perLane(8, 8).describe("Executions at once in the whole cluster, per lane"),
    slots: perLane(4, 2).describe("Executions at once in one process, per lane"),
  })
  .prefault({});
export type PoolConfig = z.infer<typeof PoolConfig>;

const BUILT_IN_POOLS = ["lead", "checker", "general", "bash"];

/** Pools by name. `lead` and `checker` take runs and checks, all others tasks; the built-in four always exist. */
export const PoolsConfig = z
  .record(Name, PoolConfig)
  .default({})
  .transform((pools) => ({
    ...Object.fromEntries(BUILT_IN_POOLS.map((name) => [name, PoolConfig.parse(undefined)])),
    ...pools,
  }));
export type PoolsConfig = Readonly<Record<string, PoolConfig>>;
