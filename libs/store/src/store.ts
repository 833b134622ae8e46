import type { Logger } from "@antler/platform";

import { type CheckpointRetention, createCheckpointRetention } from "./checkpoint-retention.ts";
import { setUpCheckpointer } from "./checkpointer-setup.ts";
import { connectMongo, type ConnectMongoOptions } from "./connect.ts";
import { createDeadLetterLedger, type DeadLetterLedger } from "./dead-letter-ledger.ts";
import { createEventLog, type EventLog } from "./event-log.ts";
import { FencedSaver } from "./fenced-saver.ts";
import { createIndexes } from "./indexes.ts";
import type { RunFenceKey } from "./run-fence.ts";
import { createRunLedger, type RunLedger } from "./run-ledger.ts";
import { createStateReader, type StateReader } from "./state-reader.ts";
import { createStoreLeases, type StoreLeases } from "./store-leases.ts";
import { createTaskLedger, type TaskLedger } from "./task-ledger.ts";
import { createThreadLedger, type ThreadLedger } from "./thread-ledger.ts";
import { createUsageLedger, type UsageLedger } from "./usage-ledger.ts";

/** Antler's durable memory: the ledgers, the event log and the checkpoints. */
export interface Store {
  readonly runs: RunLedger;
  readonly tasks: TaskLedger;
  readonly threads: ThreadLedger;
  readonly events: EventLog;
  readonly usage: UsageLedger;
  readonly leases: StoreLeases;
  readonly deadLetters: DeadLetterLedger;
  readonly states: StateReader;
  readonly checkpoints: CheckpointRetention;
  /** The checkpointer of one claim of one run; it writes only while the claim holds. */
  saver(claim: RunFenceKey): FencedSaver;
  /** Creates what indexes are missing. Idempotent; several processes may call it at once. */
  migrate(): Promise<void>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface ConnectStoreOptions extends ConnectMongoOptions {
  readonly logger: Logger;
}

/** @throws store_unavailable naming MONGODB_URL, never with its password. */
export async function connectStore(options: ConnectStoreOptions): Promise<Store> {
  const connection = await connectMongo(options);
  const { client, database, collections } = connection;
  return {
    runs: createRunLedger(collections.runs),
    tasks: createTaskLedger(collections.tasks, collections.results),
    threads: createThreadLedger(collections.threads),
    events: createEventLog(collections.events, options.logger),
    usage: createUsageLedger(collections.usage),
    leases: createStoreLeases(collections.leases),
    deadLetters: createDeadLetterLedger(collections.deadLetters),
    states: createStateReader(collections),
    checkpoints: createCheckpointRetention(collections),
    saver: (claim) => new FencedSaver({ client, database, collections }, claim),
    async migrate() {
      await createIndexes(collections);
      await setUpCheckpointer(client, database);
    },
    ping: () => connection.ping(),
    close: () => connection.close(),
  };
}
