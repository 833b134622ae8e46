import { collectionNameOf } from "../catalog/catalog.ts";
import type { Collection } from "../catalog/collection.ts";
import { ID_INDEX } from "../indexes/index-specification.ts";
import { compileFilter } from "../query/matcher.ts";
import { ServerError } from "../server-error.ts";
import type { Document } from "../values/document.ts";
import { documentField } from "../values/document.ts";
import type { CommandRequest, CommandTable } from "./command.ts";
import { namespaceOf } from "./command.ts";

/** The commands that create, drop, rename and describe collections and databases. */
export const COLLECTION_COMMANDS: CommandTable = {
  create,
  drop,
  dropdatabase: dropDatabase,
  renamecollection: renameCollection,
  listcollections: listCollections,
  listdatabases: listDatabases,
  dbstats: databaseStatistics,
  collstats: collectionStatistics,
  validate: () => ({ valid: true }),
};

const CREATE_OPTIONS = ["validator", "validationLevel", "validationAction"];
const REFUSED_OPTIONS = ["capped", "viewOn", "timeseries", "clusteredIndex", "changeStreamPreAndPostImages"];

function create(request: CommandRequest): Document {
  const { command, state } = request;
  const namespace = namespaceOf(request);
  const refused = REFUSED_OPTIONS.find((name) => command[name] !== undefined && command[name] !== false);
  if (refused !== undefined) throw new ServerError("CommandNotSupported", `The option '${refused}' is not supported`);
  if (state.catalog.find(namespace) !== undefined) {
    throw new ServerError("NamespaceExists", `Collection ${namespace} already exists.`);
  }
  const kept = CREATE_OPTIONS.filter((name) => command[name] !== undefined);
  const options = Object.fromEntries(kept.map((name) => [name, command[name]]));
  state.catalog.ensure(namespace).setOptions(options);
  state.journal.add({ op: "create", ns: namespace, options });
  return {};
}

function drop(request: CommandRequest): Document {
  const ns = namespaceOf(request);
  const dropped = request.state.catalog.drop(ns);
  if (dropped === undefined) return {};
  request.state.journal.add({ op: "drop", ns });
  return { ns, nIndexesWas: dropped.indexes.size + 1 };
}

function dropDatabase({ database, state }: CommandRequest): Document {
  state.catalog.dropDatabase(database);
  state.journal.add({ op: "drop_database", database });
  return { dropped: database };
}

function renameCollection({ command, name, state }: CommandRequest): Document {
  const from = String(command[name]);
  const to = String(command["to"]);
  if (state.catalog.find(from) === undefined) {
    throw new ServerError("NamespaceNotFound", `Source collection ${from} does not exist`);
  }
  if (state.catalog.find(to) !== undefined) {
    if (command["dropTarget"] !== true) throw new ServerError("NamespaceExists", "target namespace exists");
    state.catalog.drop(to);
    state.journal.add({ op: "drop", ns: to });
  }
  state.catalog.rename(from, to);
  state.journal.add({ op: "rename", ns: from, to });
  return {};
}

function listCollections({ command, database, state }: CommandRequest): Document {
  const matches = compileFilter(documentField(command, "filter"));
  const documents = state.catalog.collectionsOf(database).map(shownCollection).filter(matches);
  return {
    cursor: state.cursors.open({ namespace: `${database}.$cmd.listCollections`, documents, batchSize: Infinity }),
  };
}

function shownCollection(collection: Collection): Document {
  return {
    name: collectionNameOf(collection.namespace()),
    type: "collection",
    options: collection.options(),
    info: { readOnly: false, uuid: collection.uuid },
    idIndex: ID_INDEX,
  };
}

function listDatabases({ command, state }: CommandRequest): Document {
  const matches = compileFilter(documentField(command, "filter"));
  const all = state.catalog.databases().map((name) => ({ name, ...sizeOf(state.catalog.collectionsOf(name)) }));
  const databases = all.filter(matches);
  return { databases, totalSize: databases.reduce((sum, one) => sum + one.sizeOnDisk, 0) };
}

function sizeOf(collections: readonly Collection[]): { readonly sizeOnDisk: number; readonly empty: boolean } {
  const sizeOnDisk = collections.reduce((sum, collection) => sum + collection.dataBytes(), 0);
  return { sizeOnDisk, empty: sizeOnDisk === 0 };
}

function databaseStatistics({ database, state }: CommandRequest): Document {
  const collections = state.catalog.collectionsOf(database);
  const dataSize = sizeOf(collections).sizeOnDisk;
  return {
    db: database,
    collections: collections.length,
    objects: collections.reduce((sum, collection) => sum + collection.records.size, 0),
    dataSize,
    storageSize: dataSize,
    indexes: collections.reduce((sum, collection) => sum + collection.indexes.size + 1, 0),
    indexSize: 0,
  };
}

function collectionStatistics(request: CommandRequest): Document {
  const ns = namespaceOf(request);
  const collection = request.state.catalog.find(ns);
  const size = collection?.dataBytes() ?? 0;
  const nindexes = (collection?.indexes.size ?? 0) + 1;
  return { ns, count: collection?.records.size ?? 0, size, storageSize: size, nindexes, capped: false };
}
