import { once } from "node:events";
import { createServer } from "node:net";

import { SetupError } from "../setup-error.ts";

/**
 * Looks at the port before anything is started. 0 is any free one.
 * @throws SetupError naming `--port` when another program holds it, or it may not be had.
 */
export async function expectFreePort(port: number): Promise<void> {
  if (port === 0) return;
  const server = createServer();
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  } catch (error) {
    throw new SetupError(`--port ${port} cannot be had on 127.0.0.1: ${(error as Error).message}; choose another`, {
      cause: error,
    });
  } finally {
    server.close();
  }
}
