import { rm } from "node:fs/promises";

import { type NatsServer, startNats } from "../../harness/nats.ts";

/** A nats-server which keeps its port, and its data unless told otherwise, when it is started again. */
export interface BusServer {
  readonly port: number;
  readonly pid: number;
  kill(): Promise<void>;
  restart(options?: { readonly withoutData?: boolean }): Promise<void>;
}

export async function startBusServer(dataDir: string): Promise<BusServer> {
  let server: NatsServer = await startNats({ dataDir });
  const { port } = server;
  return {
    port,
    get pid() {
      return server.pid;
    },
    kill: () => server.kill(),
    async restart({ withoutData = false } = {}) {
      if (withoutData) await rm(dataDir, { recursive: true, force: true });
      server = await startNats({ dataDir, port });
    },
  };
}
