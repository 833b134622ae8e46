import type { Document } from "../values/document.ts";

/** Computes the new document; the old one is not changed. `isInsert` is true for the seed of an upsert. */
export type Update = (document: Document, isInsert?: boolean) => Document;
