import { type Collection, MongoClient } from "mongodb";

import type { RunRow, TaskRow } from "@antler/store";

/** The ledgers without their rules, to leave rows as a process would that died at any moment. */
export interface BareLedgers extends AsyncDisposable {
  readonly runs: Collection<RunRow>;
  readonly tasks: Collection<TaskRow>;
}

export async function openBareLedgers(database: { readonly url: string; readonly name: string }): Promise<BareLedgers> {
  const client = await MongoClient.connect(database.url);
  const db = client.db(database.name);
  return { runs: db.collection("runs"), tasks: db.collection("tasks"), [Symbol.asyncDispose]: () => client.close() };
}
