import { ServerError } from "../server-error.ts";
import type { Collection } from "./collection.ts";
import { createCollection } from "./collection.ts";

const MAX_NAMESPACE_BYTES = 255;

/** All collections by database and name. */
export interface Catalog {
  find(namespace: string): Collection | undefined;
  /** The collection, created when it is missing. Throws InvalidNamespace (73) on a bad name. */
  ensure(namespace: string): Collection;
  drop(namespace: string): Collection | undefined;
  dropDatabase(database: string): void;
  /** Moves a collection; one of the new name must have been dropped before. */
  rename(from: string, to: string): void;
  databases(): string[];
  collectionsOf(database: string): Collection[];
  all(): Generator<Collection>;
  dataBytes(): number;
  documentCount(): number;
}

/** The database part of a namespace. */
function databaseOf(namespace: string): string {
  return namespace.slice(0, namespace.indexOf("."));
}

/** The collection part of a namespace. */
export function collectionNameOf(namespace: string): string {
  return namespace.slice(namespace.indexOf(".") + 1);
}

/** Creates an empty catalog. */
export function createCatalog(): Catalog {
  const databases = new Map<string, Map<string, Collection>>();

  const find = (namespace: string): Collection | undefined =>
    databases.get(databaseOf(namespace))?.get(collectionNameOf(namespace));

  const place = (namespace: string, collection: Collection): void => {
    const database = databases.get(databaseOf(namespace)) ?? new Map<string, Collection>();
    database.set(collectionNameOf(namespace), collection);
    databases.set(databaseOf(namespace), database);
  };

  const drop = (namespace: string): Collection | undefined => {
    const database = databases.get(databaseOf(namespace));
    const collection = find(namespace);
    database?.delete(collectionNameOf(namespace));
    if (database?.size === 0) databases.delete(databaseOf(namespace));
    return collection;
  };

  function* all(): Generator<Collection> {
    for (const database of databases.values()) yield* database.values();
  }

  return {
    find,
    ensure(namespace) {
      const known = find(namespace);
      if (known !== undefined) return known;
      refuseBadName(namespace);
      const created = createCollection(namespace);
      place(namespace, created);
      return created;
    },
    drop,
    dropDatabase: (database) => void databases.delete(database),
    rename(from, to) {
      const collection = drop(from);
      if (collection === undefined) return;
      refuseBadName(to);
      collection.rename(to);
      place(to, collection);
    },
    databases: () => [...databases.keys()],
    collectionsOf: (database) => [...(databases.get(database)?.values() ?? [])],
    all,
    dataBytes: () => [...all()].reduce((sum, collection) => sum + collection.dataBytes(), 0),
    documentCount: () => [...all()].reduce((sum, collection) => sum + collection.records.size, 0),
  };
}

function refuseBadName(namespace: string): void {
  const name = collectionNameOf(namespace);
  const isBad = name === "" || name.includes("$") || name.includes("\0") || name.startsWith(".");
  if (!isBad && databaseOf(namespace) !== "" && Buffer.byteLength(namespace) <= MAX_NAMESPACE_BYTES) return;
  throw new ServerError("InvalidNamespace", `Invalid namespace specified '${namespace}'`);
}
