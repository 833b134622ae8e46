import { Aggregator } from "mingo/aggregator";

import type { Collection } from "../catalog/collection.ts";
import type { ServerState } from "../commands/command.ts";
import { findRecords } from "../query/find-records.ts";
import { createSchemaTest } from "../query/json-schema.ts";
import { ServerError } from "../server-error.ts";
import { plainDocument } from "../values/copy.ts";
import type { Document } from "../values/document.ts";
import { isDocument } from "../values/document.ts";
import { toNumber } from "../values/numbers.ts";
import { commandTime } from "./command-time.ts";
import { OPERATOR_CONTEXT, withServerErrors } from "./expression.ts";
import { writeOutput } from "./output-stage.ts";
import { normaliseStages, stageOf } from "./stages.ts";

/** An aggregation; without a collection the pipeline starts from nothing, as with `$documents`. */
export interface Aggregation {
  readonly database: string;
  readonly collection: string | undefined;
  readonly pipeline: readonly unknown[];
  readonly variables: Document;
  readonly hint?: unknown;
}

interface Source {
  readonly documents: readonly Document[];
  readonly rest: readonly Document[];
}

const OUTPUT_STAGES = new Set(["$out", "$merge"]);

/** Runs a pipeline. `$out` and `$merge` write and yield nothing; `$changeStream` is refused with 40573. */
export function runPipeline(state: ServerState, aggregation: Aggregation): readonly Document[] {
  const pipeline = aggregation.pipeline.map(stageOf);
  const [head = {}] = pipeline;
  const special = SPECIAL_HEADS[Object.keys(head)[0] ?? ""];
  if (special !== undefined) return special(collectionOf(state, aggregation));
  const last = pipeline.at(-1) ?? {};
  const isWriting = OUTPUT_STAGES.has(Object.keys(last)[0] ?? "");
  const source = readSource(state, aggregation, isWriting ? pipeline.slice(0, -1) : pipeline);
  const results = runStages(state, aggregation, source);
  if (!isWriting) return results;
  writeOutput(state, aggregation.database, last, results);
  return [];
}

const SPECIAL_HEADS: Readonly<Record<string, (collection: Collection | undefined) => Document[]>> = {
  $changeStream: () => {
    throw new ServerError("Location40573", "The $changeStream stage is only supported on replica sets");
  },
  $collStats: (collection) => {
    const count = collection?.records.size ?? 0;
    return [{ ns: collection?.namespace(), count, storageStats: { count, size: collection?.dataBytes() ?? 0 } }];
  },
  $indexStats: (collection) =>
    [...(collection?.indexes.values() ?? [])].map(({ specification }) => ({
      name: specification.name,
      key: specification.key,
      accesses: { ops: 0 },
    })),
  $currentOp: () => [],
  $listSessions: () => [],
  $listLocalSessions: () => [],
};

function collectionOf(state: ServerState, { database, collection }: Aggregation): Collection | undefined {
  return collection === undefined ? undefined : state.catalog.find(`${database}.${collection}`);
}

/** Lets the leading `$match`, `$sort`, `$skip` and `$limit`, in this order, use the indexes. */
function readSource(state: ServerState, aggregation: Aggregation, pipeline: readonly Document[]): Source {
  if (aggregation.collection === undefined) return { documents: [], rest: pipeline };
  const rest = [...pipeline];
  const take = (name: string): unknown => (rest[0] !== undefined && name in rest[0] ? rest.shift()?.[name] : undefined);
  const filter = take("$match") ?? {};
  const sort = rest[0] !== undefined && isPlainSort(rest[0]["$sort"]) ? take("$sort") : undefined;
  const records = findRecords(collectionOf(state, aggregation), {
    filter: filter as Document,
    sort,
    skip: toNumber(take("$skip") ?? 0),
    limit: toNumber(take("$limit") ?? 0),
    hint: aggregation.hint,
    variables: aggregation.variables,
  });
  return { documents: records.map((record) => record.document), rest };
}

function isPlainSort(sort: unknown): boolean {
  return isDocument(sort) && Object.values(sort).every((direction) => !isDocument(direction));
}

function runStages(state: ServerState, aggregation: Aggregation, source: Source): readonly Document[] {
  if (source.rest.length === 0) return source.documents;
  const aggregator = new Aggregator(normaliseStages(source.rest, commandTime(aggregation.variables)), {
    context: OPERATOR_CONTEXT,
    collectionResolver: (name) => readAll(state, `${aggregation.database}.${name}`),
    variables: plainDocument(aggregation.variables),
    jsonSchemaValidator: (schema) => createSchemaTest(schema),
  });
  return withServerErrors(() => aggregator.run<Document>(source.documents.map(plainDocument)));
}

function readAll(state: ServerState, namespace: string): Document[] {
  const collection = state.catalog.find(namespace);
  return findRecords(collection, { filter: {} }).map((record) => plainDocument(record.document));
}
