import { createHash } from "node:crypto";

import { expect, it } from "vitest";

import { createReceiptBook, RECEIPTS_MAX } from "../src/index.ts";

const call = {
  toolCallId: "call_1",
  toolName: "bash",
  status: "success" as const,
  args: { b: [1, { d: 1, c: 2 }], a: "x" },
  output: "é",
};

it("numbers receipts and digests arguments independently of the order of their keys", () => {
  const book = createReceiptBook(() => new Date("2026-01-02T03:04:05.678Z"));

  book.record(call);
  const second = book.record({ ...call, args: { a: "x", b: [1, { c: 2, d: 1 }] }, status: "error" });

  expect(second).toEqual({
    id: "r2",
    tool_call_id: "call_1",
    tool_name: "bash",
    status: "error",
    args_sha256: createHash("sha256").update('{"a":"x","b":[1,{"c":2,"d":1}]}').digest("hex").slice(0, 16),
    output_sha256: createHash("sha256").update("é").digest("hex").slice(0, 16),
    output_bytes: 2,
    created_at: "2026-01-02T03:04:05.678Z",
  });
  expect(book.list().map((receipt) => receipt.args_sha256)).toEqual([second?.args_sha256, second?.args_sha256]);
});

it("holds at most 256", () => {
  const book = createReceiptBook();

  const made = Array.from({ length: RECEIPTS_MAX + 3 }, () => book.record({ ...call, args: undefined }));

  expect(made.filter((receipt) => receipt === undefined)).toHaveLength(3);
  expect(book.list()).toHaveLength(RECEIPTS_MAX);
  expect(book.list().at(-1)?.id).toBe("r256");
});
