import { PassThrough, Writable } from "node:stream";

import { expect, it } from "vitest";

import { createOutgoingBuffer } from "../../src/stream/outgoing-buffer.ts";

/** A sink that takes a chunk whenever it is told to. */
function aReluctantSink() {
  const waiting: (() => void)[] = [];
  const taken: number[] = [];
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      waiting.push(() => {
        taken.push(chunk.byteLength);
        done();
      });
    },
  });
  return { sink, taken, takeOne: () => waiting.shift()?.() };
}

it("counts what is unread, chunk by chunk", async () => {
  const { sink, taken, takeOne } = aReluctantSink();
  const buffer = createOutgoingBuffer(sink);

  buffer.write("x".repeat(100_000));
  takeOne();

  await expect.poll(() => buffer.unreadBytes).toBe(100_000 - 65_536);
  takeOne();
  await expect.poll(() => buffer.unreadBytes).toBe(0);
  expect(taken).toEqual([65_536, 34_464]);
});

it("is settled while no more is unread than allowed", async () => {
  const { sink } = aReluctantSink();
  const buffer = createOutgoingBuffer(sink);

  buffer.write("abc");

  expect(await buffer.settled(3, 1)).toBe(true);
});

it("waits for a client that reads slowly, and gives up one that does not read", async () => {
  const { sink, takeOne } = aReluctantSink();
  const buffer = createOutgoingBuffer(sink);
  for (let n = 0; n < 4; n += 1) buffer.write("x".repeat(10));

  const timer = setInterval(takeOne, 30);
  const slow = await buffer.settled(10, 500);
  clearInterval(timer);
  buffer.write("x".repeat(10));
  const stopped = await buffer.settled(0, 50);

  expect(slow).toBe(true);
  expect(stopped).toBe(false);
});

it("ends the sink after everything is written, and takes no more", async () => {
  const sink = new PassThrough();
  const buffer = createOutgoingBuffer(sink);

  buffer.write("a");
  buffer.end();
  buffer.write("b");

  expect(await sink.toArray()).toEqual([Buffer.from("a")]);
});
