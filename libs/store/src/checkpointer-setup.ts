import { MongoDBSaver } from "@langchain/langgraph-checkpoint-mongodb";
import { type MongoClient, MongoServerError } from "mongodb";

import { storeErrorOf } from "./store-call.ts";

/** An index on the same keys stands already: ours, which is unique besides. */
const STRICTER_INDEX_CODES: ReadonlySet<number | string | undefined> = new Set([85, 86]);

/** Calls the checkpointer's own `setup()`, after the unique indexes that it lacks. Idempotent. */
export async function setUpCheckpointer(client: MongoClient, database: string): Promise<void> {
  const faults = (await new MongoDBSaver({ client, dbName: database }).setup()) as readonly unknown[];
  const fault = faults.find((error) => !isStricterIndex(error));
  if (fault !== undefined) throw storeErrorOf(fault);
}

function isStricterIndex(error: unknown): boolean {
  return error instanceof MongoServerError && STRICTER_INDEX_CODES.has(error.code);
}
