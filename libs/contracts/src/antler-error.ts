import { ERROR_CODES, type ErrorCode, type Retry } from "./error-codes.ts";
import { headOf } from "./text-bounds.ts";

const marker = Symbol.for("antler.error");

export interface AntlerErrorOptions {
  readonly cause?: unknown;
  /** Values that a client may see; never secrets, never contents. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The one error class of Antler. Told apart by `code`; recognised with {@link isAntlerError}. */
export class AntlerError extends Error {
  readonly [marker] = true;
  readonly code: ErrorCode;
  readonly retry: Retry;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: AntlerErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "AntlerError";
    this.code = code;
    this.retry = ERROR_CODES[code].retry;
    this.details = options.details ?? {};
  }
}

/** Recognises an Antler error, also one made by another copy of this package; with codes, one of those. */
export function isAntlerError(value: unknown, ...codes: readonly ErrorCode[]): value is AntlerError {
  if (typeof value !== "object" || value === null || !(marker in value)) return false;
  return codes.length === 0 || codes.includes((value as AntlerError).code);
}

/** The message of anything thrown, at most 2,000 characters. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return headOf(text.toWellFormed(), 2000);
}
