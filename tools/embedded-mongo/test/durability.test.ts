import { expect, it } from "vitest";

import { connect } from "./connect.ts";
import { startServerProcess } from "./server-process.ts";
import { createTemporaryDirectory } from "./temporary-directory.ts";

const DURABLE = { writeConcern: { w: "majority", journal: true } } as const;
const PROCESS_TIMEOUT_MS = 90_000;

it(
  "loses no acknowledged majority write when it is killed, and ends with 0 on SIGTERM",
  async () => {
    const directory = await createTemporaryDirectory();
    const first = await startServerProcess(directory);
    const acknowledged: number[] = [];
    const items = (await connect(first.url)).db("test").collection<{ _id: number }>("items");
    const write = async (_id: number): Promise<void> => {
      await items.insertOne({ _id }, DURABLE);
      acknowledged.push(_id);
    };
    const writes = Array.from({ length: 400 }, (_, id) => write(id).catch(() => undefined));
    await expect.poll(() => acknowledged.length, { timeout: 30_000, interval: 1 }).toBeGreaterThan(100);
    await first.end("SIGKILL");
    await Promise.all(writes);

    const second = await startServerProcess(directory);
    const kept = (await connect(second.url)).db("test").collection<{ _id: number }>("items");
    const found = new Set((await kept.find().toArray()).map(({ _id }) => _id));
    expect(acknowledged.filter((id) => !found.has(id))).toEqual([]);
    expect(await second.end("SIGTERM")).toBe(0);
  },
  PROCESS_TIMEOUT_MS,
);
