import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { MsgHdrsImpl } from "@nats-io/nats-core";
import { connect } from "@nats-io/transport-node";
import { expect, test } from "vitest";

import { newTraceContext } from "@antler/platform";

import { startNats } from "../../../test/harness/nats.ts";
import { temporaryDirectory } from "../../../test/harness/temporary-directory.ts";
import { connectBus } from "../src/index.ts";
import { alone, ensure, GENERAL, silent, taskTicket } from "./bus-test.ts";

const MAX_PAYLOAD = 1500;

test("a ticket of exactly max_payload with all its headers is stored; one byte more is refused and not sent", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "nats.conf");
  await writeFile(path, `max_payload: ${MAX_PAYLOAD}\n`);
  await using server = await startNats({ args: ["-c", path] });
  const bus = await connectBus({ url: server.url, name: "test", logger: silent });
  await bus.ensureTopology([], [], alone);
  await ensure(bus);
  const observer = await connect({ servers: server.url });
  const seen: number[] = [];
  observer.subscribe(GENERAL, {
    callback: (_error, { headers, data }) => {
      seen.push((headers as MsgHdrsImpl).encode().length + data.length);
    },
  });
  await observer.flush();
  const ticket = taskTicket();
  const trace = newTraceContext();
  const withFiller = (bytes: number) => ({ ...trace, baggage: "x".repeat(bytes) });
  const largest = await largestFitting((bytes) => bus.publishTicket(GENERAL, ticket, withFiller(bytes)));

  expect(largest).toBeGreaterThan(500);
  await observer.flush();
  expect(Math.max(...seen)).toBe(MAX_PAYLOAD);
  await expect(bus.publishTicket(GENERAL, ticket, withFiller(largest + 1))).rejects.toMatchObject({
    code: "payload_too_large",
    message: `The ticket has ${MAX_PAYLOAD + 1} bytes with headers; NATS accepts ${MAX_PAYLOAD}`,
  });

  const fits = (bytes: number) => () => {
    bus.expectFits(ticket, withFiller(bytes));
  };
  const laterDigits = 2 * ("999999999".length - 1);
  expect(fits(largest - laterDigits)).not.toThrow();
  expect(fits(largest - laterDigits + 1)).toThrow(/NATS accepts/);
  await observer.close();
  await bus.close();
});

/** The greatest number that is taken, by halving. */
async function largestFitting(publish: (bytes: number) => Promise<unknown>): Promise<number> {
  let [fits, fails] = [0, MAX_PAYLOAD];
  while (fails - fits > 1) {
    const bytes = Math.floor((fits + fails) / 2);
    const isTaken = await publish(bytes).then(
      () => true,
      () => false,
    );
    if (isTaken) fits = bytes;
    else fails = bytes;
  }
  return fits;
}
