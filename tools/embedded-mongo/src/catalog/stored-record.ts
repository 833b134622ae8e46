import type { Document } from "../values/document.ts";

/** A stored document. The document itself is never changed in place: an update puts another in its stead. */
export interface StoredRecord {
  /** The key of `_id`, as `valueKey` makes it. */
  readonly id: string;
  /** The order of insertion within the collection. */
  readonly sequence: number;
  document: Document;
  /** The size of the document in BSON. */
  bytes: number;
}
