import { MongoClient, type MongoClientOptions } from "mongodb";

import { AntlerError, isAntlerError, messageOf } from "@antler/contracts";
import { monotonicMs } from "@antler/platform";

import { type Collections, collectionsOf } from "./collections.ts";
import { storeCall, storeErrorOf } from "./store-call.ts";

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

/** Time for choosing a server, for waiting for a connection, and for opening one. */
const REACH_TIMEOUT_MS = 5000;
/** Time without a byte from the server after which a connection is given up. */
const SILENCE_TIMEOUT_MS = 10_000;

/**
 * How often the driver looks for a server that it lost. Its own 10 s can outlast a lease: the work would be taken over
 * although the store came back in time.
 */
const MONITOR_INTERVAL_MS = 500;

/**
 * Majority and journal for every write, reads from the primary, and a bound on every wait.
 * Absent fields stay absent: a null would stand in a sparse unique index.
 */
function clientOptions(reachTimeoutMs: number): MongoClientOptions {
  return {
    writeConcern: { w: "majority", journal: true },
    readPreference: "primary",
    ignoreUndefined: true,
    heartbeatFrequencyMS: MONITOR_INTERVAL_MS,
    serverSelectionTimeoutMS: reachTimeoutMs,
    waitQueueTimeoutMS: reachTimeoutMs,
    connectTimeoutMS: reachTimeoutMs,
    socketTimeoutMS: SILENCE_TIMEOUT_MS,
    maxPoolSize: 50,
    appName: "antler",
  };
}

/** Connects, repeatedly if need be. Throws `store_unavailable` that names MONGODB_URL, never with the password. */
export async function connectMongo(options: ConnectMongoOptions): Promise<MongoConnection> {
  const { url, database, connectTimeoutMs = REACH_TIMEOUT_MS } = options;
  const client = openClient(url, Math.min(connectTimeoutMs, REACH_TIMEOUT_MS));
  const db = client.db(database);
  const ask = () => db.command({ ping: 1 });
  try {
    await askUntilAnswered(ask, connectTimeoutMs);
  } catch (error) {
    await client.close();
    throw unreachable(url, error);
  }
  const ping = async (): Promise<void> => {
    await storeCall(ask);
  };
  return { client, database, collections: collectionsOf(db), ping, close: () => client.close() };
}

async function askUntilAnswered(ask: () => Promise<unknown>, timeoutMs: number): Promise<void> {
  const deadline = monotonicMs() + timeoutMs;
  for (;;) {
    try {
      await ask();
      return;
    } catch (error) {
      if (!isAntlerError(storeErrorOf(error), "store_unavailable") || monotonicMs() >= deadline) throw error;
    }
  }
}

function openClient(url: string, reachTimeoutMs: number): MongoClient {
  try {
    return new MongoClient(url, clientOptions(reachTimeoutMs));
  } catch (error) {
    const reason = url.includes("@") ? CREDENTIALS_REMEDY : messageOf(error);
    throw new AntlerError("config_invalid", `MONGODB_URL is not a connection string: ${reason}`);
  }
}

/** The driver's words quote parts of the string, which may be parts of a password. */
const CREDENTIALS_REMEDY = "check its form and options, and percent-encode user and password";

/** The driver's error is told in words and not passed as a cause, since parts of it may quote the connection string. */
function unreachable(url: string, error: unknown): AntlerError {
  const remedy = "check MONGODB_URL and that the server runs";
  const target = addressOf(url);
  return new AntlerError(
    "store_unavailable",
    `MongoDB at ${target} cannot be reached (${withoutSecret(url, error)}): ${remedy}`,
  );
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
