/** Longest wait that a provider is granted, in milliseconds. */
const LONGEST_WAIT_MS = 60_000;

/** How long the provider asks to be left alone, in milliseconds, at most a minute; 0 when it does not say. */
export function retryAfterMs(error: unknown, nowMs: number): number {
  if (typeof error !== "object" || error === null) return 0;
  const { headers, cause } = error as Record<string, unknown>;
  const text = isReadable(headers) ? headers.get("retry-after") : null;
  if (text === null) return cause === undefined ? 0 : retryAfterMs(cause, nowMs);
  const seconds = Number(text);
  const waitMs = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(text) - nowMs;
  return Number.isFinite(waitMs) ? Math.min(LONGEST_WAIT_MS, Math.max(0, waitMs)) : 0;
}

/** Clients bring a class of headers of their own. */
function isReadable(headers: unknown): headers is Pick<Headers, "get"> {
  return typeof headers === "object" && headers !== null && "get" in headers && typeof headers.get === "function";
}
