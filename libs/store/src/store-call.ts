import { MongoBulkWriteError, MongoError, MongoNetworkError, MongoServerSelectionError } from "mongodb";

import { AntlerError, isAntlerError } from "@antler/contracts";

/** Runs one operation of the driver and gives its infrastructure faults an Antler code. */
export type StoreCall = <T>(operation: () => Promise<T>) => Promise<T>;

/** Driver errors that say that the server was not reached, or not in time. */
const UNREACHABLE_NAMES: ReadonlySet<string> = new Set([
  "MongoClientClosedError",
  "MongoExpiredSessionError",
  "MongoNotConnectedError",
  "MongoOperationTimeoutError",
  "MongoPoolClearedError",
  "MongoPoolClosedError",
  "MongoServerClosedError",
  "MongoStalePrimaryError",
  "MongoTopologyClosedError",
  "MongoUnexpectedServerResponseError",
  "MongoWaitQueueTimeoutError",
  "MongoWriteConcernError",
  "PoolClearedOnNetworkError",
]);

/** Codes of a server that is shutting down, not primary, out of time, or cannot confirm a majority. */
const UNAVAILABLE_CODES: ReadonlySet<number> = new Set([
  6, 7, 50, 64, 89, 91, 100, 134, 189, 262, 317, 358, 9001, 10058, 10107, 11600, 11602, 13435, 13436,
]);

/** Codes of the socket itself: the driver passes on what happens while it writes to a connection that just broke. */
const SOCKET_CODES: ReadonlySet<unknown> = new Set([
  "EPIPE",
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "ETIMEDOUT",
  "EAI_AGAIN",
  "ERR_STREAM_DESTROYED",
  "ERR_STREAM_WRITE_AFTER_END",
]);

const TOO_LARGE_CODES: ReadonlySet<number> = new Set([10334, 17280, 17419, 17420]);
const TOO_LARGE_WORDS = /larger than the maximum size|BSONObjectTooLarge|exceeds? maximum|object to insert too large/i;
const DUPLICATE_KEY = 11_000;

/** Longest time of one call. What the server does after it is harmless, since every write may be repeated. */
const CALL_TIMEOUT_MS = 10_000;

/** Throws `store_unavailable` when the server could not answer in time and `document_too_large`; others as they are. */
export const storeCall: StoreCall = async (operation) => {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(unavailable(new Error(`No answer in ${CALL_TIMEOUT_MS} ms`)));
  }, CALL_TIMEOUT_MS);
  try {
    return await Promise.race([operation(), late]);
  } catch (error) {
    throw storeErrorOf(error);
  } finally {
    clearTimeout(timer);
  }
};

/** What a driver error means to Antler. Errors without a meaning of their own are returned unchanged. */
export function storeErrorOf(error: unknown): unknown {
  if (isAntlerError(error)) return error;
  if (isUnreachable(withoutBulk(error))) return unavailable(error);
  if (isTooLarge(error)) {
    const remedy = "start a new thread, or let tools write large output to files";
    return new AntlerError("document_too_large", `A document exceeds what the store accepts: ${remedy}`, {
      cause: error,
    });
  }
  return error;
}

/** Whether a unique index refused the write; in a bulk write, whether at least one of its writes was refused so. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof MongoError && error.code === DUPLICATE_KEY;
}

/** Repeats an upsert once: two upserts of a missing document may collide; then the document is there. */
export async function repeatOnDuplicate<T>(upsert: () => Promise<T>): Promise<T> {
  try {
    return await upsert();
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    return upsert();
  }
}

function unavailable(cause: unknown): AntlerError {
  const message = "The document store did not answer in time: check MONGODB_URL and that the server runs";
  return new AntlerError("store_unavailable", message, { cause });
}

/** A bulk write wraps whatever ended it, also a connection that broke. */
function withoutBulk(error: unknown): unknown {
  return error instanceof MongoBulkWriteError && error.errorResponse instanceof Error ? error.errorResponse : error;
}

function isUnreachable(error: unknown): boolean {
  if (error instanceof Error && "code" in error && SOCKET_CODES.has(error.code)) return true;
  if (!(error instanceof MongoError)) return false;
  if (error instanceof MongoNetworkError || error instanceof MongoServerSelectionError) return true;
  return UNREACHABLE_NAMES.has(error.name) || UNAVAILABLE_CODES.has(Number(error.code));
}

function isTooLarge(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = error instanceof MongoError ? Number(error.code) : Number.NaN;
  return TOO_LARGE_CODES.has(code) || TOO_LARGE_WORDS.test(error.message) || isBufferOverrun(error);
}

/** The driver's serializer writes past its 17 MB buffer before the server could refuse the document. */
function isBufferOverrun(error: Error): boolean {
  const code: unknown = "code" in error ? error.code : undefined;
  return error instanceof RangeError && (code === "ERR_OUT_OF_RANGE" || code === "ERR_BUFFER_OUT_OF_BOUNDS");
}
