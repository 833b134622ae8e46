import { TIME_VARIABLE } from "../aggregation/command-time.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { DocumentWriter } from "../catalog/document-writer.ts";
import type { Journal } from "../storage/journal.ts";
import type { Document } from "../values/document.ts";
import { documentField } from "../values/document.ts";
import type { CursorTable } from "./cursor-table.ts";
import type { RetryTable } from "./retry-table.ts";

/** What all commands work on. */
export interface ServerState {
  readonly catalog: Catalog;
  readonly writer: DocumentWriter;
  readonly journal: Journal;
  readonly cursors: CursorTable;
  readonly retries: RetryTable;
  readonly identity: ServerIdentity;
}

/** How the server presents itself. */
export interface ServerIdentity {
  /** The address that clients use, such as `127.0.0.1:27017`. */
  address(): string;
  /** The replica set name shown to clients, without which drivers do not retry writes; undefined for a standalone. */
  readonly replicaSet: string | undefined;
  readonly startedAtMs: number;
  connectionCount(): number;
}

/** One command on its way to a handler. Handlers are synchronous, which makes each command atomic. */
export interface CommandRequest {
  readonly name: string;
  readonly command: Document;
  readonly database: string;
  readonly state: ServerState;
  /** What `$$NOW` stands for in the whole command. */
  readonly now: Date;
}

/** Answers a command; `ok: 1` is added by the dispatcher. Throws ServerError. */
type CommandHandler = (request: CommandRequest) => Document;

/** Handlers by the command's name in lower case. */
export type CommandTable = Readonly<Record<string, CommandHandler>>;

/** The variables that the expressions of a command may use: those of `let`, and its time. */
export function variablesOf({ command, now }: CommandRequest): Document {
  return { ...documentField(command, "let"), [TIME_VARIABLE]: now };
}

/** The namespace that a command names in its first field. */
export function namespaceOf({ name, command, database }: CommandRequest): string {
  return `${database}.${String(command[name])}`;
}
