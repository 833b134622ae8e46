import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

import type { GuardedFetchOptions } from "../../src/address-guard/guarded-fetch.ts";

export interface LocalServer extends AsyncDisposable {
  readonly port: number;
  readonly paths: readonly string[];
}

/** A server on the loopback address. */
export async function localServer(answer: RequestListener): Promise<LocalServer> {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url ?? "");
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    paths,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Options that let the loopback address through and know the host `public.test` under it. */
export function loopbackOptions(port: number, over: Partial<GuardedFetchOptions> = {}): GuardedFetchOptions {
  return {
    ports: [80, 443, port],
    hosts: null,
    permits: (address) => address === "127.0.0.1",
    resolve: async () => [{ address: "127.0.0.1", family: 4 }],
    maxBytes: 1000,
    timeoutMs: 5000,
    maxRedirects: 3,
    signal: new AbortController().signal,
    ...over,
  };
}
