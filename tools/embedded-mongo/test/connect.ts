import { MongoClient } from "mongodb";
import { onTestFinished } from "vitest";

/** A client that is closed when the test has ended. */
export async function connect(url: string): Promise<MongoClient> {
  const client = await new MongoClient(url, { serverSelectionTimeoutMS: 5000 }).connect();
  onTestFinished(() => client.close());
  return client;
}
