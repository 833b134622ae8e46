import { Binary, Long } from "bson";

import { ServerError } from "../server-error.ts";
import type { Document } from "../values/document.ts";
import { isDocument } from "../values/document.ts";
import { AGGREGATE_COMMANDS } from "./aggregate-command.ts";
import { COLLECTION_COMMANDS } from "./collection-commands.ts";
import type { CommandTable, ServerState } from "./command.ts";
import { FIND_AND_MODIFY_COMMANDS } from "./find-and-modify-command.ts";
import { HANDSHAKE_COMMANDS } from "./handshake-commands.ts";
import { INDEX_COMMANDS } from "./index-commands.ts";
import { READ_COMMANDS } from "./read-commands.ts";
import { refuseUnsupported } from "./unsupported.ts";
import { WRITE_COMMANDS } from "./write-commands.ts";

/** Runs a command to its reply. Rejects with ServerError, or with what a fault in the server threw. */
export type Dispatcher = (command: Document, database: string) => Promise<Document>;

const COMMANDS: CommandTable = {
  ...HANDSHAKE_COMMANDS,
  ...READ_COMMANDS,
  ...WRITE_COMMANDS,
  ...FIND_AND_MODIFY_COMMANDS,
  ...AGGREGATE_COMMANDS,
  ...COLLECTION_COMMANDS,
  ...INDEX_COMMANDS,
};

interface RetryableWrite {
  readonly session: string;
  readonly transaction: Long;
}

/** Creates the dispatcher of a server. */
export function createDispatcher(state: ServerState): Dispatcher {
  /** Synchronous, so that no other command comes between the parts of one. */
  const apply = (command: Document, database: string): Document => {
    const write = retryableWrite(command);
    const earlier = write === undefined ? undefined : state.retries.find(write.session, write.transaction);
    if (earlier !== undefined) return earlier;
    try {
      const reply = runHandler(state, command, database);
      if (write !== undefined) state.journal.add(state.retries.remember(write.session, write.transaction, reply));
      return reply;
    } finally {
      state.journal.commit();
    }
  };

  return async (command, database) => {
    const reply = apply(command, database);
    if (isDurabilityWanted(command)) await state.journal.durable();
    return reply;
  };
}

function runHandler(state: ServerState, command: Document, database: string): Document {
  const [name = ""] = Object.keys(command);
  const handler = Object.hasOwn(COMMANDS, name.toLowerCase()) ? COMMANDS[name.toLowerCase()] : undefined;
  refuseUnsupported(name.toLowerCase(), command);
  if (handler === undefined) throw new ServerError("CommandNotFound", `no such command: '${name}'`);
  return { ...handler({ name, command, database, state, now: new Date() }), ok: 1 };
}

function retryableWrite(command: Document): RetryableWrite | undefined {
  const { lsid, txnNumber } = command;
  const id = isDocument(lsid) ? lsid["id"] : undefined;
  if (!(id instanceof Binary) || !Long.isLong(txnNumber) || command["autocommit"] === false) return undefined;
  return { session: Buffer.from(id.value()).toString("hex"), transaction: txnNumber };
}

function isDurabilityWanted(command: Document): boolean {
  const concern = command["writeConcern"];
  return isDocument(concern) && (concern["j"] === true || concern["w"] === "majority");
}
