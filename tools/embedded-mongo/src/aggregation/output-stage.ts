import { Aggregator } from "mingo/aggregator";

import type { Collection } from "../catalog/collection.ts";
import type { StoredRecord } from "../catalog/stored-record.ts";
import type { ServerState } from "../commands/command.ts";
import { findRecords } from "../query/find-records.ts";
import { badValue, ServerError } from "../server-error.ts";
import { copyDocument, plainDocument } from "../values/copy.ts";
import type { Document } from "../values/document.ts";
import { isDocument, textField } from "../values/document.ts";
import { valuesAt } from "../values/field-path.ts";
import { OPERATOR_CONTEXT, withServerErrors } from "./expression.ts";
import { normaliseStages } from "./stages.ts";

interface MergeStage {
  readonly target: Collection;
  readonly on: readonly string[];
  readonly whenMatched: unknown;
  readonly whenNotMatched: unknown;
}

/** Writes the results of a pipeline as its last stage, `$out` or `$merge`, says. */
export function writeOutput(state: ServerState, database: string, stage: Document, results: readonly Document[]): void {
  if ("$out" in stage) {
    replaceCollection(state, targetOf(state, database, stage["$out"]), results);
    return;
  }
  const merge = parseMerge(state, database, stage["$merge"]);
  for (const result of results) mergeDocument(state, merge, result);
}

function targetOf(state: ServerState, database: string, target: unknown): Collection {
  if (typeof target === "string") return state.writer.ensureCollection(`${database}.${target}`);
  if (!isDocument(target)) badValue("The target of an output stage must be a string or an object");
  return state.writer.ensureCollection(`${textField(target, "db") ?? database}.${textField(target, "coll") ?? ""}`);
}

function replaceCollection(state: ServerState, target: Collection, results: readonly Document[]): void {
  for (const record of [...target.records.values()]) state.writer.remove(target, record);
  for (const result of results) state.writer.insert(target, copyDocument(result));
}

function parseMerge(state: ServerState, database: string, specification: unknown): MergeStage {
  const options: Document = isDocument(specification) ? specification : { into: specification };
  const on = options["on"] ?? "_id";
  return {
    target: targetOf(state, database, options["into"]),
    on: Array.isArray(on) ? on.map(String) : [typeof on === "string" ? on : "_id"],
    whenMatched: options["whenMatched"] ?? "merge",
    whenNotMatched: options["whenNotMatched"] ?? "insert",
  };
}

function mergeDocument(state: ServerState, merge: MergeStage, result: Document): void {
  const filter = Object.fromEntries(merge.on.map((path) => [path, valuesAt(result, path)[0] ?? null]));
  const [existing] = findRecords(merge.target, { filter, limit: 1 });
  if (existing !== undefined) mergeMatched(state, merge, existing, result);
  else if (merge.whenNotMatched === "insert") state.writer.insert(merge.target, copyDocument(result));
  else if (merge.whenNotMatched === "fail") {
    throw new ServerError("MergeStageNoMatchingDocument", "$merge could not find a matching document");
  }
}

function mergeMatched(state: ServerState, merge: MergeStage, existing: StoredRecord, result: Document): void {
  if (merge.whenMatched === "fail") throw new ServerError("DuplicateKey", "$merge found a matching document");
  if (merge.whenMatched === "keepExisting") return;
  const merged = mergedDocument(merge.whenMatched, existing.document, copyDocument(result));
  state.writer.replace(merge.target, existing, { ...merged, _id: existing.document["_id"] });
}

function mergedDocument(whenMatched: unknown, existing: Document, result: Document): Document {
  if (whenMatched === "replace") return { _id: existing["_id"], ...result };
  if (!Array.isArray(whenMatched)) return { ...existing, ...result };
  const stages = normaliseStages(whenMatched, new Date());
  const aggregator = new Aggregator(stages, { context: OPERATOR_CONTEXT, variables: { new: result } });
  return withServerErrors(() => aggregator.run<Document>([plainDocument(existing)]))[0] ?? {};
}
