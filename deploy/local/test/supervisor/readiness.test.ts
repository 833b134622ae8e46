import { describe, expect, it } from "vitest";

import { readyPort } from "../../src/supervisor/readiness.ts";

describe("readyPort", () => {
  it("reads the port of a ready line", () => {
    expect(readyPort('{"level":30,"event":"ready","http_port":4711,"msg":"Ready"}')).toBe(4711);
  });

  it.each(["", "ready", '{"event":"ready"}', '{"event":"not ready","http_port":1}', '{"event":"ready","http_port":'])(
    "takes %j for an ordinary line",
    (line) => {
      expect(readyPort(line)).toBeUndefined();
    },
  );
});
