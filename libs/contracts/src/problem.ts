import { z } from "zod";

import { type AntlerError, isAntlerError } from "./antler-error.ts";
import { ERROR_CODES, type ErrorCode } from "./error-codes.ts";

/** RFC 9457 problem document. `code` is stable; clients decide by it. */
export const Problem = z
  .looseObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string(),
    remedy: z.string(),
    trace_id: z.string().optional(),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .meta({ id: "Problem" });
export type Problem = z.infer<typeof Problem>;

/** The problem document of an error. An error without a code becomes `internal`, and its text stays home. */
export function problemOf(error: unknown, traceId?: string): Problem {
  const known = isAntlerError(error) && ERROR_CODES[error.code].status !== 500 ? error : undefined;
  const code: ErrorCode = known?.code ?? "internal";
  const { status, title, cause, remedy } = ERROR_CODES[code];
  return {
    ...known?.details,
    type: `https://antler.dev/errors/${code}`,
    title,
    status,
    detail: known?.message ?? cause,
    code,
    remedy,
    ...(traceId !== undefined && { trace_id: traceId }),
  };
}

/** The error as it is stored in a ledger row. */
export interface StoredError {
  readonly code: ErrorCode;
  readonly message: string;
}

export function storedErrorOf(error: AntlerError): StoredError {
  return { code: error.code, message: error.message };
}
