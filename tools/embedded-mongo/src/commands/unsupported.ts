import { ServerError } from "../server-error.ts";
import type { Document } from "../values/document.ts";
import { isDocument } from "../values/document.ts";

const TRANSACTION_COMMANDS = new Set(["committransaction", "aborttransaction", "preparetransaction"]);

/** Refuses transactions (20) and collations (115), with MongoDB's codes, before a command runs. */
export function refuseUnsupported(name: string, command: Document): void {
  if (TRANSACTION_COMMANDS.has(name) || command["startTransaction"] === true || command["autocommit"] === false) {
    const message = "Transaction numbers are only allowed on a replica set member or mongos";
    throw new ServerError("IllegalOperation", `${message}: this server has no multi-document transactions`);
  }
  for (const part of [command, ...entriesOf(command)]) refuseCollation(part["collation"]);
}

function entriesOf(command: Document): Document[] {
  return [command["updates"], command["deletes"]]
    .flatMap((entries) => (Array.isArray(entries) ? (entries as unknown[]) : []))
    .filter(isDocument);
}

function refuseCollation(collation: unknown): void {
  if (!isDocument(collation) || collation["locale"] === "simple" || Object.keys(collation).length === 0) return;
  throw new ServerError("CommandNotSupported", 'A collation other than { locale: "simple" } is not supported');
}
