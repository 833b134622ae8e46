import { startEmbeddedMongo } from "@antler/embedded-mongo";
import { newId } from "@antler/platform";

export interface MongoServer {
  readonly url: string;
  /** A database name that nobody else uses. On a server of MONGODB_URL such databases stay; all begin with antler_test_. */
  newDatabase(): string;
  stop(): Promise<void>;
}

/** The server of MONGODB_URL when that is set, else an embedded one that keeps its data in memory. */
export async function startMongo(): Promise<MongoServer> {
  const newDatabase = () => `antler_test_${newId().replaceAll("-", "")}`;
  const given = process.env["MONGODB_URL"];
  if (given !== undefined && given !== "") return { url: given, newDatabase, stop: async () => undefined };
  const server = await startEmbeddedMongo();
  return { url: server.url, newDatabase, stop: () => server.close() };
}
