import { UUID } from "bson";

import type { IndexKey } from "../indexes/index-keys.ts";
import type { IndexSpecification } from "../indexes/index-specification.ts";
import { ID_INDEX } from "../indexes/index-specification.ts";
import type { SecondaryIndex } from "../indexes/secondary-index.ts";
import { compileFilter } from "../query/matcher.ts";
import { ServerError } from "../server-error.ts";
import type { Document } from "../values/document.ts";
import { isDocument } from "../values/document.ts";
import { valueKey } from "../values/value-key.ts";
import { createIndexSet } from "./index-set.ts";
import type { StoredRecord } from "./stored-record.ts";

/** A document on its way into a collection, with its size in BSON. */
interface SizedDocument {
  readonly document: Document;
  readonly bytes: number;
}

/** One collection: its records, its indexes, and its validator. */
export interface Collection {
  readonly uuid: UUID;
  readonly records: ReadonlyMap<string, StoredRecord>;
  readonly indexes: ReadonlyMap<string, SecondaryIndex>;
  namespace(): string;
  rename(namespace: string): void;
  options(): Document;
  setOptions(options: Document): void;
  /** Throws DocumentValidationFailure (121) when the validator refuses the document. */
  validate(document: Document): void;
  /** Inserts, or replaces `existing`. Throws DuplicateKey (11000), and then has changed nothing. */
  put(sized: SizedDocument, existing?: StoredRecord): StoredRecord;
  remove(record: StoredRecord): void;
  addIndex(specification: IndexSpecification): void;
  dropIndex(name: string): boolean;
  /** The order of `_id`, built when first asked for. */
  idOrder(): SecondaryIndex;
  dataBytes(): number;
}

/** Creates an empty collection of the name `database.collection`. */
export function createCollection(initialNamespace: string): Collection {
  const records = new Map<string, StoredRecord>();
  let namespace = initialNamespace;
  let options: Document = {};
  let isValid: (document: Document) => boolean = () => true;
  let nextSequence = 1;
  let dataBytes = 0;
  const indexes = createIndexSet(records, (index, key) => duplicateKey(namespace, index, key));

  const insertRecord = ({ document, bytes }: SizedDocument): StoredRecord => {
    const record = { id: valueKey(document["_id"]), sequence: nextSequence++, document, bytes };
    records.set(record.id, record);
    return record;
  };

  return {
    uuid: new UUID(),
    records,
    indexes: indexes.byName,
    namespace: () => namespace,
    rename(name) {
      namespace = name;
    },
    options: () => options,
    setOptions(next) {
      isValid = compileValidator(next);
      options = next;
    },
    validate(document) {
      if (isValid(document)) return;
      const errInfo = { failingDocumentId: document["_id"] };
      throw new ServerError("DocumentValidationFailure", "Document failed validation", { errInfo });
    },
    put(sized, existing) {
      if (existing === undefined) refuseKnownId(namespace, sized.document["_id"], records);
      const changes = indexes.planChanges(sized.document, existing);
      dataBytes += sized.bytes - (existing?.bytes ?? 0);
      const record = existing ?? insertRecord(sized);
      indexes.apply(record, changes);
      record.document = sized.document;
      record.bytes = sized.bytes;
      return record;
    },
    remove(record) {
      indexes.remove(record);
      records.delete(record.id);
      dataBytes -= record.bytes;
    },
    addIndex: (specification) => indexes.add(specification),
    dropIndex: (name) => indexes.drop(name),
    idOrder: () => indexes.idOrder(),
    dataBytes: () => dataBytes,
  };
}

function compileValidator(options: Document): (document: Document) => boolean {
  const validator = options["validator"];
  const isEnforced = options["validationAction"] !== "warn" && options["validationLevel"] !== "off";
  return isDocument(validator) && isEnforced ? compileFilter(validator) : () => true;
}

function refuseKnownId(namespace: string, id: unknown, records: ReadonlyMap<string, StoredRecord>): void {
  if (!records.has(valueKey(id))) return;
  throw duplicateKeyError(namespace, ID_INDEX, { _id: id });
}

function duplicateKey(namespace: string, index: SecondaryIndex, key: IndexKey): never {
  const keyValue = Object.fromEntries(index.paths.map((path, at) => [path, key[at]]));
  throw duplicateKeyError(namespace, index.specification, keyValue);
}

function duplicateKeyError(namespace: string, { name, key }: IndexSpecification, keyValue: Document): ServerError {
  const fields = Object.entries(keyValue).map(([path, value]) => `${path}: ${shown(value)}`);
  const message = `E11000 duplicate key error collection: ${namespace} index: ${name} dup key: { ${fields.join(", ")} }`;
  return new ServerError("DuplicateKey", message, { keyPattern: key, keyValue });
}

function shown(value: unknown): string {
  return value instanceof Date ? `new Date(${String(value.getTime())})` : JSON.stringify(value);
}
