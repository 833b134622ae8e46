import { createHash } from "node:crypto";

export type ReceiptStatus = "success" | "error" | "partial_success";

/** What a tool call did, recorded by the runner that executed it and never by the model. */
export interface Receipt {
  readonly id: string;
  readonly tool_call_id: string;
  readonly tool_name: string;
  readonly status: ReceiptStatus;
  /** First 16 hexadecimal digits of the SHA-256 of the arguments as JSON with sorted keys. */
  readonly args_sha256: string;
  /** First 16 hexadecimal digits of the SHA-256 of the output. */
  readonly output_sha256: string;
  readonly output_bytes: number;
  readonly created_at: string;
}

export interface ToolCallRecord {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly status: ReceiptStatus;
  readonly args: unknown;
  readonly output: string;
}

export interface ReceiptBook {
  /** Adds a receipt; undefined once 256 are held, so that numbers are never reused. */
  record(call: ToolCallRecord): Receipt | undefined;
  list(): readonly Receipt[];
}

/** Most receipts of one execution. */
export const RECEIPTS_MAX = 256;

/** Receipts of one execution, numbered r1, r2 … in the order of recording. */
export function createReceiptBook(now: () => Date = () => new Date()): ReceiptBook {
  const receipts: Receipt[] = [];
  return {
    record(call) {
      if (receipts.length >= RECEIPTS_MAX) return undefined;
      const receipt = receiptOf(`r${receipts.length + 1}`, call, now());
      receipts.push(receipt);
      return receipt;
    },
    list: () => [...receipts],
  };
}

function receiptOf(id: string, call: ToolCallRecord, at: Date): Receipt {
  return {
    id,
    tool_call_id: call.toolCallId,
    tool_name: call.toolName,
    status: call.status,
    args_sha256: digest(canonicalJson(call.args)),
    output_sha256: digest(call.output),
    output_bytes: Buffer.byteLength(call.output),
    created_at: at.toISOString(),
  };
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** JSON whose object keys are sorted, so that equal arguments have equal digests. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value ?? null, (_key, part: unknown) => sortKeys(part));
}

function sortKeys(part: unknown): unknown {
  if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
  return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
}
