import { Readable } from "node:stream";

import type { ConsumerInfo, JetStreamManager, StreamInfo } from "@nats-io/jetstream";
import { expect, test } from "vitest";

import { ensureTopology, type Exclusive } from "../src/topology.ts";
import { newDurable } from "../src/topology-settings.ts";
import { alone, generalDurable, silent } from "./bus-test.ts";

const durable = generalDurable();

/** A server with one stream and one consumer, as a crash may leave them. */
function createServer(lastSeq: number, deliveredSeq: number) {
  const calls: string[] = [];
  let delivered = deliveredSeq;
  let config = newDurable(durable, 0);
  const info = async () => ({ config, delivered: { stream_seq: delivered } }) as ConsumerInfo;
  const consumers: Partial<JetStreamManager["consumers"]> = {
    info,
    list: () => Readable.from([]) as never,
    delete: async () => {
      calls.push("delete");
      return true;
    },
    add: async (_stream, added) => {
      calls.push(`add from ${added.opt_start_seq ?? 1}`);
      config = added;
      delivered = lastSeq;
      return info();
    },
  };
  const streams: Partial<JetStreamManager["streams"]> = {
    info: async () => ({ state: { last_seq: lastSeq } }) as StreamInfo,
  };
  const ensure = (exclusive: Exclusive) =>
    ensureTopology(
      { manager: { streams, consumers } as JetStreamManager, logger: silent },
      { streams: [], durables: [durable] },
      exclusive,
    );
  return { calls, ensure, catchUp: () => (delivered = lastSeq) };
}

test("a consumer that is ahead of its stream is made anew for new tickets, under exclusivity", async () => {
  const server = createServer(3, 9);
  const names: string[] = [];
  const exclusive: Exclusive = (name, work) => {
    names.push(name);
    return alone(name, work);
  };
  await server.ensure(exclusive);
  await server.ensure(exclusive);
  expect(server.calls).toEqual(["delete", "add from 4"]);
  expect(names).toEqual(["topology:TASKS:general_interactive"]);
});

test("while another process repairs it the topology is not in order", async () => {
  const server = createServer(3, 9);
  await expect(server.ensure(() => Promise.resolve(undefined))).rejects.toMatchObject({ code: "bus_unavailable" });
  expect(server.calls).toEqual([]);
});

test("what another process repaired meanwhile is left alone", async () => {
  const server = createServer(3, 9);
  await server.ensure((_name, work) => {
    server.catchUp();
    return work();
  });
  expect(server.calls).toEqual([]);
});

test("a consumer that is just up to date is left alone", async () => {
  const server = createServer(9, 9);
  await server.ensure(() => Promise.reject(new Error("Nothing to repair")));
  expect(server.calls).toEqual([]);
});
