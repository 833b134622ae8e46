import type { Collection } from "../catalog/collection.ts";
import type { QueryPlan } from "../indexes/planner.ts";
import { explainQuery, findRecords, type Query } from "../query/find-records.ts";
import { compileProjection } from "../query/projection.ts";
import { badValue, ServerError } from "../server-error.ts";
import type { Document } from "../values/document.ts";
import { arrayField, documentField, isDocument } from "../values/document.ts";
import { valuesAt } from "../values/field-path.ts";
import { toCount, toNumber } from "../values/numbers.ts";
import { valueKey } from "../values/value-key.ts";
import type { CommandRequest, CommandTable } from "./command.ts";
import { namespaceOf, variablesOf } from "./command.ts";

/** The commands that read documents, other than `aggregate`. */
export const READ_COMMANDS: CommandTable = {
  find,
  getmore: getMore,
  killcursors: killCursors,
  count,
  distinct,
  explain,
};

function find(request: CommandRequest): Document {
  const { command, state } = request;
  if (command["tailable"] === true) {
    badValue("error processing query: tailable cursor requested on non capped collection");
  }
  const filter = documentField(command, "filter");
  const project = compileProjection(command["projection"], filter);
  const limit = toCount(command["limit"], 0);
  const records = findRecords(state.catalog.find(namespaceOf(request)), {
    filter,
    sort: command["sort"],
    skip: toCount(command["skip"], 0),
    limit: Math.abs(limit),
    hint: command["hint"],
    variables: variablesOf(request),
  });
  const cursor = state.cursors.open({
    namespace: namespaceOf(request),
    documents: records.map((record) => project(record.document)),
    isSingleBatch: command["singleBatch"] === true || limit < 0,
    ...batchSizeOf(command),
  });
  return { cursor };
}

/** The batch size of a command, when it has one. */
export function batchSizeOf(command: Document): { readonly batchSize?: number } {
  const size = command["batchSize"];
  return size === undefined ? {} : { batchSize: toNumber(size) };
}

function getMore({ command, state }: CommandRequest): Document {
  const size = toCount(command["batchSize"], 0);
  return { cursor: state.cursors.next(cursorId(command["getMore"]), size === 0 ? Infinity : size) };
}

function killCursors({ command, state }: CommandRequest): Document {
  const ids = arrayField(command, "cursors");
  const cursorsKilled = ids.filter((id) => state.cursors.close(cursorId(id)));
  const cursorsNotFound = ids.filter((id) => !cursorsKilled.includes(id));
  return { cursorsKilled, cursorsNotFound, cursorsAlive: [], cursorsUnknown: [] };
}

const cursorId = (value: unknown): bigint => BigInt(String(value));

function count(request: CommandRequest): Document {
  const { command, state } = request;
  const collection = state.catalog.find(namespaceOf(request));
  const filter = documentField(command, "query");
  const limit = Math.abs(toCount(command["limit"], 0));
  const skip = toCount(command["skip"], 0);
  const isAll = Object.keys(filter).length === 0 && limit === 0 && skip === 0;
  if (isAll) return { n: collection?.records.size ?? 0 };
  return { n: findRecords(collection, { filter, limit, skip, hint: command["hint"] }).length };
}

function distinct(request: CommandRequest): Document {
  const { command, state } = request;
  const records = findRecords(state.catalog.find(namespaceOf(request)), { filter: documentField(command, "query") });
  const values = records
    .flatMap((record) => valuesAt(record.document, String(command["key"])))
    .flatMap((value: unknown) => (Array.isArray(value) ? (value as unknown[]) : [value]))
    .filter((value) => value !== undefined);
  return { values: [...new Map(values.map((value) => [valueKey(value), value])).values()] };
}

function explain({ command, database, state }: CommandRequest): Document {
  const explained = documentField(command, "explain");
  const [name] = Object.keys(explained);
  if (name === undefined) throw new ServerError("FailedToParse", "explain needs a command");
  const namespace = `${database}.${String(explained[name])}`;
  const collection = state.catalog.find(namespace);
  const query: Query = { filter: filterOf(explained), sort: explained["sort"], hint: explained["hint"] };
  const winningPlan = collection === undefined ? { stage: "EOF" } : shownQuery(collection, query);
  const nReturned = findRecords(collection, query).length;
  return { queryPlanner: { namespace, winningPlan, rejectedPlans: [] }, executionStats: { nReturned } };
}

function shownQuery(collection: Collection, query: Query): Document {
  const { plan, sortsInMemory } = explainQuery(collection, query);
  return sortsInMemory ? { stage: "SORT", inputStage: shownPlan(plan) } : shownPlan(plan);
}

function filterOf(command: Document): Document {
  const [stage] = arrayField(command, "pipeline");
  const [entry] = [...arrayField(command, "updates"), ...arrayField(command, "deletes")];
  const source = [command["filter"], command["query"], isDocument(stage) ? stage["$match"] : entry];
  const found = source.find(isDocument) ?? {};
  return found === entry ? documentField(found, "q") : found;
}

function shownPlan(plan: QueryPlan): Document {
  switch (plan.kind) {
    case "ids":
      return { stage: "IDHACK" };
    case "scan":
      return { stage: "COLLSCAN" };
    case "union":
      return { stage: "OR", inputStages: plan.branches.map(shownPlan) };
    case "index":
      return { stage: "FETCH", inputStage: indexScan(plan) };
  }
}

function indexScan(plan: Extract<QueryPlan, { kind: "index" }>): Document {
  const { name, key } = plan.index.specification;
  return { stage: "IXSCAN", indexName: name, keyPattern: key, isMultiKey: plan.index.isMultikey() };
}
