import { existsSync, rmSync, truncateSync } from "node:fs";

import type { Catalog } from "../catalog/catalog.ts";
import type { RetryTable } from "../commands/retry-table.ts";
import { parseIndexSpecification } from "../indexes/index-specification.ts";
import { valueKey } from "../values/value-key.ts";
import type { DataFiles } from "./data-files.ts";
import type { Operation } from "./operation.ts";
import { openRecordFile, refuseDamaged } from "./record-file.ts";

/** Where the log goes on after a recovery. */
export interface Recovered {
  readonly generation: number;
  readonly logBytes: number;
}

type Apply = (operation: Operation) => void;

/**
 * Fills the catalog from the newest snapshot and the logs after it. The last log may end in a torn record, which was
 * never acknowledged and is cut off; damage anywhere else throws StartupError.
 */
export function recoverData(files: DataFiles, catalog: Catalog, retries: RetryTable): Recovered {
  const apply = createApply(catalog, retries);
  rmSync(files.unfinishedSnapshotPath(), { force: true });
  const snapshot = files.newestSnapshot();
  if (snapshot > 0) replay(files.snapshotPath(snapshot), apply, false);
  const logs = files.logs().filter((generation) => generation >= snapshot);
  let logBytes = 0;
  for (const [at, generation] of logs.entries()) {
    logBytes = replay(files.logPath(generation), apply, at === logs.length - 1);
  }
  files.removeBefore(snapshot);
  return { generation: logs.at(-1) ?? snapshot, logBytes };
}

function replay(path: string, apply: Apply, mayBeTorn: boolean): number {
  if (!existsSync(path)) return 0;
  const file = openRecordFile(path);
  try {
    for (const operation of file.operations()) apply(operation);
    if (!mayBeTorn) refuseDamaged(path, file);
    else if (file.intactBytes() < file.fileBytes()) truncateSync(path, file.intactBytes());
    return file.intactBytes();
  } finally {
    file.close();
  }
}

function createApply(catalog: Catalog, retries: RetryTable): Apply {
  return (operation) => {
    if (operation.op === "put") applyPut(catalog, operation);
    else if (operation.op === "remove") applyRemove(catalog, operation);
    else if (operation.op === "retry") retries.restore(operation);
    else applyDefinition(catalog, operation);
  };
}

function applyPut(catalog: Catalog, { ns, document, bytes }: Extract<Operation, { op: "put" }>): void {
  const collection = catalog.ensure(ns);
  collection.put({ document, bytes: bytes.length }, collection.records.get(valueKey(document["_id"])));
}

function applyRemove(catalog: Catalog, { ns, id }: Extract<Operation, { op: "remove" }>): void {
  const collection = catalog.find(ns);
  const record = collection?.records.get(valueKey(id));
  if (record !== undefined) collection?.remove(record);
}

type Definition = Exclude<Operation, { op: "put" | "remove" | "retry" }>;

function applyDefinition(catalog: Catalog, operation: Definition): void {
  switch (operation.op) {
    case "create":
      catalog.ensure(operation.ns).setOptions(operation.options);
      return;
    case "drop":
      catalog.drop(operation.ns);
      return;
    case "drop_database":
      catalog.dropDatabase(operation.database);
      return;
    case "rename":
      catalog.rename(operation.ns, operation.to);
      return;
    case "create_index":
      catalog.ensure(operation.ns).addIndex(parseIndexSpecification(operation.specification));
      return;
    case "drop_index":
      catalog.find(operation.ns)?.dropIndex(operation.name);
  }
}
