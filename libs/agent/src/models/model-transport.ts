import { EnvHttpProxyAgent, fetch as undiciFetch } from "undici";

import type { Environment } from "@antler/contracts";

const NEVER_PROXIED = ["localhost", "127.0.0.1", "[::1]"];

/** How the models of a process reach their providers. */
export interface ModelTransport {
  /** A server that is silent for `timeoutMs` fails the call. */
  fetch(timeoutMs: number): typeof globalThis.fetch;
  close(): Promise<void>;
}

function variable(environment: Environment, name: string): string {
  return environment[name.toLowerCase()] ?? environment[name] ?? "";
}

/** Honours HTTPS_PROXY, HTTP_PROXY and NO_PROXY of `environment`; loopback never goes through a proxy. */
export function createModelTransport(environment: Environment): ModelTransport {
  const proxies = {
    httpProxy: variable(environment, "HTTP_PROXY"),
    httpsProxy: variable(environment, "HTTPS_PROXY"),
    noProxy: [variable(environment, "NO_PROXY"), ...NEVER_PROXIED].filter((host) => host !== "").join(","),
  };
  const dispatchers = new Map<number, EnvHttpProxyAgent>();
  const dispatcherFor = (timeoutMs: number) => {
    const limits = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs };
    const dispatcher = dispatchers.get(timeoutMs) ?? new EnvHttpProxyAgent({ ...proxies, ...limits });
    dispatchers.set(timeoutMs, dispatcher);
    return dispatcher;
  };
  return {
    fetch(timeoutMs) {
      const dispatcher = dispatcherFor(timeoutMs);
      const send = (input: Parameters<typeof undiciFetch>[0], init?: Parameters<typeof undiciFetch>[1]) =>
        undiciFetch(input, { ...init, dispatcher });
      return send as unknown as typeof globalThis.fetch;
    },
    async close() {
      await Promise.all([...dispatchers.values()].map((dispatcher) => dispatcher.destroy()));
    },
  };
}
