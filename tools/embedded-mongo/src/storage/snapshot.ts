import type { Catalog } from "../catalog/catalog.ts";
import type { Collection } from "../catalog/collection.ts";
import type { RetryTable } from "../commands/retry-table.ts";
import type { IndexSpecification } from "../indexes/index-specification.ts";
import { encodeDocument } from "../values/bson-codec.ts";
import type { Document } from "../values/document.ts";
import type { Operation, RetryOperation } from "./operation.ts";

interface CollectionState {
  readonly ns: string;
  readonly options: Document;
  readonly documents: readonly Document[];
  readonly indexes: readonly IndexSpecification[];
}

/**
 * The operations that rebuild the data as it is at the moment of the call. What is captured then is the list of the
 * documents, which nothing changes in place; they are encoded one by one as the result is read.
 */
export function captureSnapshot(catalog: Catalog, retries: RetryTable): Iterable<Operation> {
  const collections = [...catalog.all()].map(stateOf);
  return snapshotOperations(collections, retries.operations());
}

function stateOf(collection: Collection): CollectionState {
  return {
    ns: collection.namespace(),
    options: collection.options(),
    documents: Array.from(collection.records.values(), (record) => record.document),
    indexes: Array.from(collection.indexes.values(), (index) => index.specification),
  };
}

function* snapshotOperations(
  collections: readonly CollectionState[],
  retries: readonly RetryOperation[],
): Generator<Operation> {
  for (const { ns, options, documents, indexes } of collections) {
    yield { op: "create", ns, options };
    for (const document of documents) yield { op: "put", ns, document, bytes: encodeDocument(document) };
    for (const specification of indexes) yield { op: "create_index", ns, specification };
  }
  yield* retries;
}
