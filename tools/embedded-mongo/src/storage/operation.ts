import type { IndexSpecification } from "../indexes/index-specification.ts";
import type { Document } from "../values/document.ts";

/** One change of the data, as the log and the snapshot hold it. */
export type Operation =
  | { readonly op: "put"; readonly ns: string; readonly document: Document; readonly bytes: Uint8Array }
  | { readonly op: "remove"; readonly ns: string; readonly id: unknown }
  | { readonly op: "create"; readonly ns: string; readonly options: Document }
  | { readonly op: "drop"; readonly ns: string }
  | { readonly op: "drop_database"; readonly database: string }
  | { readonly op: "rename"; readonly ns: string; readonly to: string }
  | { readonly op: "create_index"; readonly ns: string; readonly specification: IndexSpecification }
  | { readonly op: "drop_index"; readonly ns: string; readonly name: string }
  | RetryOperation;

/** The reply of a retryable write, so that a retry after a restart is answered and not applied again. */
export interface RetryOperation {
  readonly op: "retry";
  readonly session: string;
  readonly transaction: string;
  readonly reply: Document;
}
