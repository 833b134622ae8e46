const marker = Symbol.for("antler.local.setup-error");

/** Something on this machine keeps the local stack from starting; the message names the remedy, so no stack is shown. */
export class SetupError extends Error {
  readonly [marker] = true;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "SetupError";
  }
}

export function isSetupError(value: unknown): value is SetupError {
  return typeof value === "object" && value !== null && marker in value;
}
