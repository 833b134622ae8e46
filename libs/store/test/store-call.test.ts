import { MongoBulkWriteError, MongoNetworkError, MongoServerError, MongoServerSelectionError } from "mongodb";
import { describe, expect, it, vi } from "vitest";

import { AntlerError } from "@antler/contracts";

import { isDuplicateKey, repeatOnDuplicate, storeCall } from "../src/store-call.ts";

const serverError = (code: number, message = "") => new MongoServerError({ code, message });
const failing = (error: unknown) => storeCall(() => Promise.reject(error as Error));
const selection = new MongoServerSelectionError("no server", { servers: new Map() } as never);
function socketError(code: string): Error {
  return Object.assign(new Error("This socket has been ended by the other party"), { code });
}

/** As the driver does it: declared for answers of the server, and given whatever was thrown. */
function bulkEndedBy(error: Error): MongoBulkWriteError {
  return new MongoBulkWriteError(error, {} as never);
}

describe("storeCall", () => {
  it("passes a result on", async () => {
    await expect(storeCall(async () => 7)).resolves.toBe(7);
  });

  it.each<[string, unknown]>([
    ["a network error", new MongoNetworkError("reset")],
    ["no server in time", selection],
    ["a bulk write that a broken connection ended", bulkEndedBy(new MongoNetworkError("reset"))],
    ["a bulk write for which there was no server in time", bulkEndedBy(selection)],
    ["a connection that broke while it was written to", socketError("EPIPE")],
    ["a bulk write on a connection that broke", bulkEndedBy(socketError("EPIPE"))],
    ["a server that is not primary", serverError(10_107)],
    ["a server that shuts down", serverError(11_600)],
    ["a majority that does not confirm", serverError(64)],
    ["an operation over its time", serverError(50)],
  ])("tells %s as store_unavailable with its cause", async (_, error) => {
    await expect(failing(error)).rejects.toMatchObject({ code: "store_unavailable", cause: error });
  });

  it.each([
    ["of the server", serverError(10_334, "BSONObj size: 20971520 is invalid")],
    ["of the driver", new Error("Document is larger than the maximum size 16777216")],
    ["of the serializer", Object.assign(new RangeError("out of range"), { code: "ERR_OUT_OF_RANGE" })],
  ])("tells a document that is too large in the words %s", async (_, error) => {
    await expect(failing(error)).rejects.toMatchObject({ code: "document_too_large" });
  });

  it.each([serverError(11_000), serverError(2), new TypeError("a bug"), new AntlerError("lease_lost", "lost")])(
    "leaves other errors as they are: %s",
    async (error) => {
      await expect(failing(error)).rejects.toBe(error);
    },
  );

  it("gives up on an operation that does not end", async () => {
    vi.useFakeTimers();
    const failure = storeCall(() => new Promise(() => undefined)).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(10_000);
    vi.useRealTimers();
    expect(await failure).toMatchObject({ code: "store_unavailable" });
  });
});

describe("a duplicate key", () => {
  it("is recognised by its code", () => {
    expect(isDuplicateKey(serverError(11_000))).toBe(true);
    expect(isDuplicateKey(serverError(112))).toBe(false);
    expect(isDuplicateKey({ code: 11_000 })).toBe(false);
  });

  it("lets an upsert be repeated once", async () => {
    const upsert = vi.fn<() => Promise<string>>().mockRejectedValueOnce(serverError(11_000)).mockResolvedValue("done");
    await expect(repeatOnDuplicate(upsert)).resolves.toBe("done");
    const refused = vi.fn<() => Promise<string>>().mockRejectedValue(serverError(11_000));
    await expect(repeatOnDuplicate(refused)).rejects.toMatchObject({ code: 11_000 });
    expect(refused).toHaveBeenCalledTimes(2);
  });
});
