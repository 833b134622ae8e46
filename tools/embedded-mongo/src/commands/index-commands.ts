import type { Collection } from "../catalog/collection.ts";
import type { IndexSpecification } from "../indexes/index-specification.ts";
import { ID_INDEX, isExistingIndex, parseIndexSpecification } from "../indexes/index-specification.ts";
import { ServerError } from "../server-error.ts";
import { equalValues } from "../values/compare.ts";
import type { Document } from "../values/document.ts";
import { arrayField, documentField, isDocument } from "../values/document.ts";
import { toNumber } from "../values/numbers.ts";
import type { CommandRequest, CommandTable, ServerState } from "./command.ts";
import { namespaceOf } from "./command.ts";

/** The commands about indexes, and `collMod`. */
export const INDEX_COMMANDS: CommandTable = {
  createindexes: createIndexes,
  dropindexes: dropIndexes,
  deleteindexes: dropIndexes,
  listindexes: listIndexes,
  collmod: modifyCollection,
};

function specificationsOf(collection: Collection): IndexSpecification[] {
  return [ID_INDEX, ...Array.from(collection.indexes.values(), (index) => index.specification)];
}

function createIndexes(request: CommandRequest): Document {
  const { command, state } = request;
  const namespace = namespaceOf(request);
  const wanted = arrayField(command, "indexes").map(parseIndexSpecification);
  const isNew = state.catalog.find(namespace) === undefined;
  const collection = state.writer.ensureCollection(namespace);
  const numIndexesBefore = collection.indexes.size + 1;
  for (const specification of wanted) createIndex(state, collection, specification);
  const numIndexesAfter = collection.indexes.size + 1;
  return { numIndexesBefore, numIndexesAfter, createdCollectionAutomatically: isNew };
}

function createIndex(state: ServerState, collection: Collection, specification: IndexSpecification): void {
  if (isExistingIndex(specificationsOf(collection), specification)) return;
  collection.addIndex(specification);
  state.journal.add({ op: "create_index", ns: collection.namespace(), specification });
}

function existingCollection(request: CommandRequest): Collection {
  const namespace = namespaceOf(request);
  const collection = request.state.catalog.find(namespace);
  if (collection === undefined) throw new ServerError("NamespaceNotFound", `ns does not exist: ${namespace}`);
  return collection;
}

function dropIndexes(request: CommandRequest): Document {
  const collection = existingCollection(request);
  const nIndexesWas = collection.indexes.size + 1;
  for (const name of namesToDrop(collection, request.command["index"])) dropIndex(request.state, collection, name);
  return { nIndexesWas };
}

function namesToDrop(collection: Collection, wanted: unknown): string[] {
  if (wanted === "*") return [...collection.indexes.keys()];
  if (Array.isArray(wanted)) return wanted.map(String);
  return [isDocument(wanted) ? nameOfKey(collection, wanted) : String(wanted)];
}

function nameOfKey(collection: Collection, key: Document): string {
  const found = specificationsOf(collection).find((specification) => equalValues(specification.key, key));
  if (found === undefined) throw new ServerError("IndexNotFound", "can't find index with this key");
  return found.name;
}

function dropIndex(state: ServerState, collection: Collection, name: string): void {
  if (name === ID_INDEX.name) throw new ServerError("InvalidOptions", "cannot drop _id index");
  if (!collection.dropIndex(name)) throw new ServerError("IndexNotFound", `index not found with name [${name}]`);
  state.journal.add({ op: "drop_index", ns: collection.namespace(), name });
}

function listIndexes(request: CommandRequest): Document {
  const documents = specificationsOf(existingCollection(request)).map((specification) => ({ ...specification }));
  const namespace = `${request.database}.$cmd.listIndexes`;
  return { cursor: request.state.cursors.open({ namespace, documents, batchSize: Infinity }) };
}

function modifyCollection(request: CommandRequest): Document {
  const { command, state } = request;
  const collection = existingCollection(request);
  if (isDocument(command["index"])) modifyIndex(state, collection, command["index"]);
  const changed = ["validator", "validationLevel", "validationAction"].filter((name) => command[name] !== undefined);
  if (changed.length === 0) return {};
  const options = { ...collection.options(), ...Object.fromEntries(changed.map((name) => [name, command[name]])) };
  collection.setOptions(options);
  state.journal.add({ op: "create", ns: collection.namespace(), options });
  return {};
}

function modifyIndex(state: ServerState, collection: Collection, change: Document): void {
  const keyPattern = documentField(change, "keyPattern");
  const name = typeof change["name"] === "string" ? change["name"] : nameOfKey(collection, keyPattern);
  const current = collection.indexes.get(name)?.specification;
  if (current === undefined) throw new ServerError("IndexNotFound", `cannot find index ${name}`);
  if (change["expireAfterSeconds"] === undefined) return;
  const specification = { ...current, expireAfterSeconds: toNumber(change["expireAfterSeconds"]) };
  collection.dropIndex(name);
  collection.addIndex(specification);
  state.journal.add({ op: "drop_index", ns: collection.namespace(), name });
  state.journal.add({ op: "create_index", ns: collection.namespace(), specification });
}
