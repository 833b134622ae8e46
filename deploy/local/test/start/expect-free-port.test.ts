import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

import { expect, it } from "vitest";

import { expectFreePort } from "../../src/start/expect-free-port.ts";

it("refuses a port that another program holds, and takes it once it is free", async () => {
  const holder = createServer().listen(0, "127.0.0.1");
  await once(holder, "listening");
  const { port } = holder.address() as AddressInfo;

  await expect(expectFreePort(port)).rejects.toMatchObject({
    message: expect.stringMatching(new RegExp(`^--port ${port} cannot be had on 127.0.0.1: .*EADDRINUSE`)) as string,
  });
  holder.close();
  await once(holder, "close");

  await expect(expectFreePort(port)).resolves.toBeUndefined();
});
