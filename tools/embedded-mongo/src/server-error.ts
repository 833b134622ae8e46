/** MongoDB's numeric code of each error that the server reports, by MongoDB's name for it. */
const ERROR_CODES = {
  InternalError: 1,
  BadValue: 2,
  UnknownError: 8,
  FailedToParse: 9,
  TypeMismatch: 14,
  IllegalOperation: 20,
  InvalidBSON: 22,
  NamespaceNotFound: 26,
  IndexNotFound: 27,
  PathNotViable: 28,
  EmptyFieldName: 56,
  ConflictingUpdateOperators: 40,
  CursorNotFound: 43,
  NamespaceExists: 48,
  InvalidIdField: 53,
  CommandNotFound: 59,
  ImmutableField: 66,
  CannotCreateIndex: 67,
  InvalidOptions: 72,
  InvalidNamespace: 73,
  IndexOptionsConflict: 85,
  IndexKeySpecsConflict: 86,
  CommandNotSupported: 115,
  DocumentValidationFailure: 121,
  ExceededMemoryLimit: 146,
  CannotIndexParallelArrays: 171,
  TransactionTooOld: 225,
  BSONObjectTooLarge: 10334,
  DuplicateKey: 11000,
  MergeStageNoMatchingDocument: 13113,
  OutOfDiskSpace: 14031,
  Location16410: 16410,
  Location31034: 31034,
  Location31253: 31253,
  Location31254: 31254,
  Location31325: 31325,
  Location40323: 40323,
  Location40324: 40324,
  Location40573: 40573,
  Location51091: 51091,
} as const;

/** MongoDB's name of an error. */
export type ErrorName = keyof typeof ERROR_CODES;

/** An error that is answered to the client with MongoDB's own code; `extra` fields join the reply. */
export class ServerError extends Error {
  override readonly name = "ServerError";
  readonly code: number;
  readonly codeName: ErrorName;
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(codeName: ErrorName, message: string, extra: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.code = ERROR_CODES[codeName];
    this.codeName = codeName;
    this.extra = extra;
  }
}

/** Tells whether `error` is a `ServerError`, of the given name when one is given. */
export function isServerError(error: unknown, codeName?: ErrorName): error is ServerError {
  const isOne = error instanceof Error && error.name === "ServerError" && "codeName" in error;
  return isOne && (codeName === undefined || error.codeName === codeName);
}

/** Throws MongoDB's BadValue error (code 2). */
export function badValue(message: string): never {
  throw new ServerError("BadValue", message);
}
