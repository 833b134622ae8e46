import { expect, it } from "vitest";

import { encodeFrame, numbered } from "../../src/stream/sse-frame.ts";

it("writes event, one data line and the id", () => {
  expect(encodeFrame({ event: "values", data: { text: "a\nb" }, id: 7 })).toBe(
    'event: values\ndata: {"text":"a\\nb"}\nid: 7\n\n',
  );
});

it("leaves the id out where there is none, and writes nothing as null", () => {
  expect(encodeFrame({ event: "metadata", data: undefined })).toBe("event: metadata\ndata: null\n\n");
});

it("does not let a name begin a new line", () => {
  expect(encodeFrame({ event: "a\ndata: x", data: 1 })).toBe("event: a data: x\ndata: 1\n\n");
});

it("numbers only the last frame of an event", () => {
  const frames = [
    { event: "error", data: 1 },
    { event: "end", data: 2 },
  ];

  expect(numbered(frames, 9)).toEqual([
    { event: "error", data: 1 },
    { event: "end", data: 2, id: 9 },
  ]);
});
