import { randomBytes } from "node:crypto";
import { hostname } from "node:os";

import { v7 } from "uuid";

/** A new UUID version 7: ids sort by time of creation. */
export function newId(): string {
  return v7();
}

/** Who this process is among all runners, now and after a restart: `<hostname>-<pid>-<4 hex digits>`. */
export function newRunnerId(): string {
  return `${hostname()}-${process.pid}-${randomBytes(2).toString("hex")}`;
}
