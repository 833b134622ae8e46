/** Why a server refused to start. */
export type StartupErrorCode =
  "production_refused" | "address_refused" | "data_directory_locked" | "data_directory_damaged" | "bad_argument";

/** A refusal to start, with its reason and the remedy in the message. */
export class StartupError extends Error {
  override readonly name = "StartupError";
  readonly code: StartupErrorCode;

  constructor(code: StartupErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Tells whether `error` is a `StartupError`, of the given code when one is given. */
export function isStartupError(error: unknown, code?: StartupErrorCode): error is StartupError {
  const isOne = error instanceof Error && error.name === "StartupError" && "code" in error;
  return isOne && (code === undefined || error.code === code);
}
