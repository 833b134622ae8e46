import { AntlerError, messageOf } from "@antler/contracts";
import { MongoClient, type MongoClientOptions } from "mongodb";
import { type Collections, collectionsOf } from "./collections.ts";
import { storeCall } from "./store-call.ts";

export interface ConnectMongoOptions {
  readonly url: string;
  readonly database: string;
  /** How long the first connection may take; 5 s without it. */
  readonly connectTimeoutMs?: number;
}

/** A connected driver: the one client of a process. */
export interface MongoConnection {
  readonly client: MongoClient;
  readonly database: string;
  readonly collections: Collections;
  /** Throws `store_unavailable` when the server does not answer in time. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Longest time of one store call, the choice of a server and the wait for a connection included. */
const CALL_TIMEOUT_MS = 5000;

/**
 * Majority and journal for every write, reads from the primary, and a bound on every call.
 * Absent fields stay absent: a null would stand in a sparse unique index.
 */
function clientOptions(timeoutMs: number): MongoClientOptions {
  return {
    writeConcern: { w: "majority", journal: true },
    readPreference: "primary",
    ignoreUndefined: true,
    timeoutMS: CALL_TIMEOUT_MS,
    serverSelectionTimeoutMS: CALL_TIMEOUT_MS,
    waitQueueTimeoutMS: CALL_TIMEOUT_MS,
    connectTimeoutMS: timeoutMs,
    maxPoolSize: 50,
    appName: "antler",
  };
}

/** Connects and asks the server once. Throws `store_unavailable` that names MONGODB_URL, never with the password. */
export async function connectMongo(options: ConnectMongoOptions): Promise<MongoConnection> {
  const { url, database, connectTimeoutMs = CALL_TIMEOUT_MS } = options;
  const client = openClient(url, connectTimeoutMs);
  const db = client.db(database);
  const ping = async (): Promise<void> => {
    await storeCall(() => db.command({ ping: 1 }));
  };
  try {
    await db.command({ ping: 1 }, { timeoutMS: connectTimeoutMs });
  } catch (error) {
    await client.close();
    throw unreachable(url, error);
  }
  return { client, database, collections: collectionsOf(db), ping, close: () => client.close() };
}

function openClient(url: string, connectTimeoutMs: number): MongoClient {
  try {
    return new MongoClient(url, clientOptions(connectTimeoutMs));
  } catch (error) {
    throw new AntlerError("config_invalid", `MONGODB_URL is not a connection string: ${withoutSecret(url, error)}`);
  }
}

/** The driver's error is told in words and not passed as a cause, since parts of it may quote the connection string. */
function unreachable(url: string, error: unknown): AntlerError {
  const remedy = "check MONGODB_URL and that the server runs";
  const target = addressOf(url);
  return new AntlerError("store_unavailable", `MongoDB at ${target} cannot be reached (${withoutSecret(url, error)}): ${remedy}`);
}

/** Hosts of a connection string, without user, password, path and options. */
function addressOf(url: string): string {
  const [, rest = ""] = url.split("://");
  const authority = rest.split(/[/?]/, 1)[0] ?? "";
  return authority.slice(authority.lastIndexOf("@") + 1) || "MONGODB_URL";
}

function withoutSecret(url: string, error: unknown): string {
  const credentials = /^[^:]+:\/\/(.*)@/s.exec(url)?.[1];
  const text = messageOf(error).replaceAll(url, "MONGODB_URL");
  if (credentials === undefined) return text;
  const password = credentials.slice(credentials.indexOf(":") + 1);
  return [credentials, password, decoded(password)].reduce(hide, text);
}

function hide(text: string, secret: string): string {
  return secret === "" ? text : text.replaceAll(secret, "***");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
