import { type Dispatcher, fetch, type Response } from "undici";

import { AntlerError, headOf, isAntlerError, messageOf } from "@antler/contracts";

import { boundedBody } from "./bounded-body.ts";
import { type DialRules, guardedDispatcher } from "./guarded-dispatcher.ts";
import { guardedTarget } from "./guarded-target.ts";

export interface GuardedFetchOptions extends DialRules {
  readonly headers?: Readonly<Record<string, string>>;
  /** Most bytes of the body, counted after decompression. */
  readonly maxBytes: number;
  /** Longest time of all together, redirects included. */
  readonly timeoutMs: number;
  readonly maxRedirects: number;
  readonly signal: AbortSignal;
}

export interface GuardedResponse {
  /** Where it came from, after redirects. */
  readonly url: string;
  readonly status: number;
  /** Without parameters, in lower case; empty when the server named none. */
  readonly contentType: string;
  /** The whole `content-type` header. */
  readonly contentTypeHeader: string;
  readonly bytes: Uint8Array;
  /** Whether the body was longer than `maxBytes`. */
  readonly isCut: boolean;
}

/**
 * Gets a URL that a model or a user chose: only public addresses are dialled, each redirect is checked like the first
 * URL, and size and time are bounded.
 * @throws AntlerError `address_refused`, `fetch_failed`, or the reason of `signal`.
 */
export async function guardedFetch(url: string, options: GuardedFetchOptions): Promise<GuardedResponse> {
  const timeout = AbortSignal.timeout(options.timeoutMs);
  const signal = AbortSignal.any([options.signal, timeout]);
  const dispatcher = guardedDispatcher(options);
  const hosts = options.proxyUrl === undefined ? options.hosts : (options.hosts ?? []);
  try {
    return await follow(url, { ...options, hosts, signal }, dispatcher);
  } catch (error) {
    options.signal.throwIfAborted();
    if (timeout.aborted) throw failed(`${url} did not answer within ${options.timeoutMs / 1000} s`, error);
    throw guardErrorIn(error) ?? failed(`${url} could not be fetched: ${rootMessage(error)}`, error);
  } finally {
    await dispatcher.destroy();
  }
}

async function follow(url: string, options: GuardedFetchOptions, dispatcher: Dispatcher): Promise<GuardedResponse> {
  let target = guardedTarget(url, options);
  for (let redirects = 0; ; redirects += 1) {
    const { headers = {}, signal } = options;
    const response = await fetch(target, { dispatcher, headers, signal, redirect: "manual" });
    const location = redirectOf(response);
    if (location === null) return read(response, target, options.maxBytes);
    await response.body?.cancel();
    if (redirects >= options.maxRedirects) throw failed(`${url} redirects more than ${options.maxRedirects} times`);
    target = guardedTarget(location, options, target);
  }
}

async function read(response: Response, target: URL, maxBytes: number): Promise<GuardedResponse> {
  const contentTypeHeader = response.headers.get("content-type") ?? "";
  const body = await boundedBody(response.body as AsyncIterable<Uint8Array> | null, maxBytes);
  return {
    url: target.href,
    status: response.status,
    contentType: (contentTypeHeader.split(";", 1)[0] ?? "").trim().toLowerCase(),
    contentTypeHeader,
    ...body,
  };
}

function redirectOf({ status, headers }: Response): string | null {
  return [301, 302, 303, 307, 308].includes(status) ? headers.get("location") : null;
}

function guardErrorIn(error: unknown): AntlerError | undefined {
  if (isAntlerError(error, "address_refused", "fetch_failed")) return error;
  return error instanceof Error && error.cause !== undefined ? guardErrorIn(error.cause) : undefined;
}

function rootMessage(error: unknown): string {
  if (error instanceof Error && error.cause !== undefined) return rootMessage(error.cause);
  return messageOf(error) || String((error as { code?: unknown }).code);
}

function failed(message: string, cause?: unknown): AntlerError {
  return new AntlerError("fetch_failed", headOf(message.toWellFormed(), 500), { cause });
}
