import { expect, it } from "vitest";

import type { Collection } from "../src/catalog/collection.ts";
import { createCollection } from "../src/catalog/collection.ts";
import { parseIndexSpecification } from "../src/indexes/index-specification.ts";
import { planQuery } from "../src/indexes/planner.ts";
import { findRecords } from "../src/query/find-records.ts";
import type { Document } from "../src/values/document.ts";

function collectionOf(key: Document, ...documents: Document[]): Collection {
  const collection = createCollection("test.items");
  collection.addIndex(parseIndexSpecification({ key }));
  for (const [_id, document] of documents.entries()) collection.put({ document: { _id, ...document }, bytes: 100 });
  return collection;
}

const rangeOf = (collection: Collection, filter: Document): unknown => {
  const plan = planQuery(collection, { filter, sort: [] });
  return plan.kind === "index" ? plan.range : undefined;
};

it("joins $gt and $lt on a field without arrays into one range", () => {
  const collection = collectionOf({ a: 1 }, { a: 4 });
  expect(rangeOf(collection, { a: { $gt: 3, $lt: 5 } })).toMatchObject({ lower: 3, upper: 5 });
});

it("bounds a scan of an array field by one of $gt and $lt, but by both under $elemMatch", () => {
  const collection = collectionOf({ a: 1 }, { a: [1, 10] }, { a: [4] });
  expect(rangeOf(collection, { a: { $gt: 3, $lt: 5 } })).toEqual({ lower: 3 });
  expect(rangeOf(collection, { a: { $elemMatch: { $gt: 3, $lt: 5 } } })).toMatchObject({ lower: 3, upper: 5 });
  expect(findRecords(collection, { filter: { a: { $gt: 3, $lt: 5 } } })).toHaveLength(2);
});

it("uses the equal fields, then the range, then the order of a compound index", () => {
  const collection = collectionOf({ s: 1, n: -1 }, { s: "q", n: 1 }, { s: "q", n: 2 }, { s: "r", n: 3 });
  const shape = { filter: { s: "q", n: { $gte: 1 } }, sort: [{ path: "n", direction: -1 }] } as const;
  expect(planQuery(collection, shape)).toMatchObject({ kind: "index", prefix: ["q"], sortDirection: 1 });
  const found = findRecords(collection, { filter: shape.filter, sort: { n: -1 } });
  expect(found.map((record) => record.document["n"])).toEqual([2, 1]);
});
