import { ObjectId } from "bson";

import { ServerError } from "../server-error.ts";
import type { Journal } from "../storage/journal.ts";
import { encodeStored } from "../values/bson-codec.ts";
import type { Document } from "../values/document.ts";
import { isRegularExpression } from "../values/regular-expression.ts";
import type { Catalog } from "./catalog.ts";
import type { Collection } from "./collection.ts";
import type { MemoryGuard } from "./memory-guard.ts";
import type { StoredRecord } from "./stored-record.ts";

/** The only way by which documents change: validated, sized, indexed, and written to the journal. */
export interface DocumentWriter {
  /** The collection, created and journaled when it is missing. */
  ensureCollection(namespace: string): Collection;
  insert(collection: Collection, document: Document): StoredRecord;
  replace(collection: Collection, record: StoredRecord, document: Document): void;
  remove(collection: Collection, record: StoredRecord): void;
}

/** What a writer works on. */
export interface DocumentWriterOptions {
  readonly catalog: Catalog;
  readonly journal: Journal;
  readonly memory: MemoryGuard;
}

/** Creates a document writer. */
export function createDocumentWriter({ catalog, journal, memory }: DocumentWriterOptions): DocumentWriter {
  const store = (collection: Collection, document: Document, existing?: StoredRecord): StoredRecord => {
    collection.validate(document);
    const bytes = encodeStored(document);
    const record = collection.put({ document, bytes: bytes.length }, existing);
    journal.add({ op: "put", ns: collection.namespace(), document, bytes });
    return record;
  };

  return {
    ensureCollection(namespace) {
      const known = catalog.find(namespace);
      if (known !== undefined) return known;
      const created = catalog.ensure(namespace);
      journal.add({ op: "create", ns: namespace, options: {} });
      return created;
    },
    insert(collection, document) {
      memory.refuseWhenFull();
      return store(collection, withLeadingId(document));
    },
    replace: (collection, record, document) => void store(collection, document, record),
    remove(collection, record) {
      collection.remove(record);
      journal.add({ op: "remove", ns: collection.namespace(), id: record.document["_id"] });
    },
  };
}

function withLeadingId(document: Document): Document {
  const id = document["_id"];
  if (id === undefined) return { _id: new ObjectId(), ...document };
  if (Array.isArray(id) || isRegularExpression(id)) {
    throw new ServerError("InvalidIdField", "The '_id' value cannot be of type array or regex");
  }
  return Object.keys(document)[0] === "_id" ? document : { _id: id, ...document };
}
