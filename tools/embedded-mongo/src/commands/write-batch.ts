import { isServerError, ServerError } from "../server-error.ts";
import type { Document } from "../values/document.ts";
import { isDocument } from "../values/document.ts";

/** Applies the entries of a write command; one that fails is reported, and ends the command when it is ordered. */
export function applyBatch(
  command: Document,
  field: string,
  apply: (entry: Document, index: number) => void,
): Document {
  const entries = command[field];
  if (!Array.isArray(entries)) throw new ServerError("FailedToParse", `The field '${field}' must be an array`);
  const writeErrors: Document[] = [];
  for (const [index, entry] of entries.entries()) {
    const failure = attempt(() => {
      apply(isDocument(entry) ? entry : notDocument(field), index);
    });
    if (failure === undefined) continue;
    writeErrors.push({ index, code: failure.code, errmsg: failure.message, ...failure.extra });
    if (command["ordered"] !== false) break;
  }
  return writeErrors.length === 0 ? {} : { writeErrors };
}

function attempt(write: () => void): ServerError | undefined {
  try {
    write();
    return undefined;
  } catch (error) {
    if (isServerError(error)) return error;
    throw error;
  }
}

function notDocument(field: string): never {
  throw new ServerError("TypeMismatch", `The entries of '${field}' must be objects`);
}
