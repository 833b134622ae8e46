const TRANSIENT_STATUSES = new Set([408, 409, 425, 429, 500, 502, 503, 504, 529]);

/** Code of an error that tells of an answer that broke off. */
export const INCOMPLETE_ANSWER = "ANSWER_INCOMPLETE";

const TRANSIENT_CODES = new Set([
  INCOMPLETE_ANSWER,
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_SOCKET",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
]);

/** A SyntaxError within a model call is a piece of an answer that is no JSON. */
const TRANSIENT_NAMES = new Set(["APIConnectionError", "APIConnectionTimeoutError", "TimeoutError", "SyntaxError"]);

/**
 * Whether the same model call may work a little later: overload, rate limit, a broken or refused connection, an answer
 * that is garbled.
 */
export function isTransientModelError(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  const { status, code, name, message, cause } = error as Record<string, unknown>;
  if (code === "insufficient_quota") return false;
  if (typeof status === "number") return TRANSIENT_STATUSES.has(status);
  if (TRANSIENT_CODES.has(String(code)) || TRANSIENT_NAMES.has(String(name))) return true;
  if (message === "terminated" || message === "Premature close") return true;
  return cause !== undefined && isTransientModelError(cause);
}
