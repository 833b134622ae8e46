import { EnvHttpProxyAgent, fetch as undiciFetch } from "undici";

import type { Environment } from "@antler/contracts";

const NEVER_PROXIED = ["localhost", "127.0.0.1", "[::1]"];

function variable(environment: Environment, name: string): string {
  return environment[name.toLowerCase()] ?? environment[name] ?? "";
}

/**
 * The fetch of a model client. Honours HTTPS_PROXY, HTTP_PROXY and NO_PROXY of `environment`; loopback never goes
 * through a proxy. A server that is silent for `timeoutMs` fails the call.
 */
export function createModelFetch(environment: Environment, timeoutMs: number): typeof globalThis.fetch {
  const dispatcher = new EnvHttpProxyAgent({
    httpProxy: variable(environment, "HTTP_PROXY"),
    httpsProxy: variable(environment, "HTTPS_PROXY"),
    noProxy: [variable(environment, "NO_PROXY"), ...NEVER_PROXIED].filter((host) => host !== "").join(","),
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  });
  const modelFetch = (input: Parameters<typeof undiciFetch>[0], init?: Parameters<typeof undiciFetch>[1]) =>
    undiciFetch(input, { ...init, dispatcher });
  return modelFetch as unknown as typeof globalThis.fetch;
}
