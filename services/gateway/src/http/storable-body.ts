import { AntlerError } from "@antler/contracts";

import type { GatewayApp } from "./gateway-app.ts";

/** Most levels of objects and lists in a body; the store takes 200, with what it puts around them. */
const MAX_DEPTH = 100;

interface Fault {
  readonly path: string;
  readonly message: string;
}

/** Refuses bodies that no document can hold, wherever in them that is, before anything is done with them. */
export function refuseUnstorable(app: GatewayApp): void {
  app.addHook("preValidation", async ({ body }) => {
    const fault = faultIn(body, []);
    if (fault === undefined) return;
    const message = `The request is not valid: ${fault.path}: ${fault.message}`;
    throw new AntlerError("invalid_request", message, { details: { errors: [fault] } });
  });
}

function faultIn(value: unknown, path: readonly string[]): Fault | undefined {
  if (!isPlain(value)) return undefined;
  if (path.length > MAX_DEPTH)
    return { path: path.slice(0, 1).join("."), message: `is nested deeper than ${MAX_DEPTH} levels` };
  for (const [key, entry] of Object.entries(value)) {
    if (key.includes("\0"))
      return { path: [...path, key.replaceAll("\0", "\\0")].join("."), message: "holds a zero character in its name" };
    const fault = faultIn(entry, [...path, key]);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** What JSON is made of; the body of an upload is a stream. */
function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
}
