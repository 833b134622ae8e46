import { readdir, readFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { type Gateway, type GatewayStack, startGatewayStack, SUCCESS } from "../gateway-stack.ts";
import { type Answer, call, newThread } from "../http-client.ts";
import { tarOf } from "../tar.ts";

let stack: GatewayStack;
let gateway: Gateway;
let url: string;

beforeAll(async () => {
  stack = await startGatewayStack();
  gateway = await stack.open({ document: { sandbox: { upload: { max_files: 3, max_bytes: 100_000 } } } });
  url = gateway.url;
});
beforeEach(() => stack.play(async () => SUCCESS));
afterAll(async () => {
  await gateway.app.close();
  await stack.stop();
});

async function upload(
  threadId: string,
  body: Uint8Array<ArrayBuffer> | string,
  type = "application/x-tar",
): Promise<Answer> {
  const response = await fetch(`${url}/threads/${threadId}/workspace`, {
    method: "PUT",
    headers: { "content-type": type },
    body,
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  };
}

/** Names of all that lies in the thread's folder, beside the empty roots. */
async function kept(threadId: string): Promise<string[]> {
  const names = await readdir(stack.workspacesDir, { recursive: true });
  return names.filter((name) => name.includes(`${threadId}/`) && !/\/(workspace|uploads|outputs|tmp)$/.test(name));
}

describe("an upload", () => {
  it("replaces the workspace, and says how much it put there", async () => {
    const threadId = await newThread(url);
    await upload(threadId, tarOf([{ name: "old.txt", content: "old" }]));

    const answer = await upload(threadId, tarOf([{ name: "a b/é.txt", content: "hello" }, { name: "c.py" }]));

    expect(answer).toMatchObject({ status: 200, body: { files: 2, bytes: 5 } });
    const files = await kept(threadId);
    expect(files.filter((name) => /\.(txt|py)$/.test(name)).map((name) => name.split("workspace/")[1])).toEqual(
      expect.arrayContaining(["a b/é.txt", "c.py"]),
    );
    expect(files.some((name) => name.endsWith("old.txt"))).toBe(false);
    const [file = ""] = files.filter((name) => name.endsWith("é.txt"));
    expect(await readFile(join(stack.workspacesDir, file), "utf8")).toBe("hello");
  });

  it.each([
    ["an absolute name", [{ name: "/etc/passwd", content: "x" }]],
    ["a parent name", [{ name: "a/../../x", content: "x" }]],
    ["a device", [{ name: "null", type: "3" as const }]],
    ["a FIFO", [{ name: "pipe", type: "6" as const }]],
    ["a link that leaves", [{ name: "link", type: "2" as const, linkName: "../../../etc" }]],
    ["an absolute link", [{ name: "link", type: "2" as const, linkName: "/etc/passwd" }]],
    [
      "a file behind a link",
      [
        { name: "d", type: "2" as const, linkName: "/tmp" },
        { name: "d/x", content: "x" },
      ],
    ],
    ["a hard link that leaves", [{ name: "hard", type: "1" as const, linkName: "/etc/passwd" }]],
  ])("with %s is refused whole", async (_name, entries) => {
    const threadId = await newThread(url);

    const answer = await upload(threadId, tarOf([{ name: "good.txt", content: "x" }, ...entries]));

    expect(answer).toMatchObject({ status: 422, body: { code: "workspace_entry_refused" } });
    expect(await kept(threadId)).toEqual([]);
  });

  it("over a limit names the limit and the largest entries", async () => {
    const threadId = await newThread(url);
    const many = ["a", "b", "c", "d"].map((name) => ({ name, content: name.repeat(3) }));

    const files = await upload(threadId, tarOf(many));
    const bytes = await upload(threadId, tarOf([{ name: "big", claimedBytes: 8 ** 11 - 1 }]));

    expect(files).toMatchObject({
      status: 413,
      body: { code: "workspace_too_large", limit: "sandbox.upload.max_files" },
    });
    expect(bytes).toMatchObject({
      status: 413,
      body: { limit: "sandbox.upload.max_bytes", largest: [{ path: "big", bytes: 8 ** 11 - 1 }] },
    });
    expect(await kept(threadId)).toEqual([]);
  });

  it.each([
    ["no archive", Buffer.from("hello ".repeat(200))],
    ["a cut one", tarOf([{ name: "a", claimedBytes: 5000, content: "x" }], { end: false })],
  ])("of %s is refused", async (_name, body) => {
    const threadId = await newThread(url);

    expect(await upload(threadId, body)).toMatchObject({
      status: 400,
      body: { code: "workspace_archive_invalid" },
    });
    expect(await kept(threadId)).toEqual([]);
  });

  it("of another content type is refused by name", async () => {
    const threadId = await newThread(url);

    const answer = await upload(threadId, "{}", "application/json");

    expect(answer).toMatchObject({
      status: 415,
      body: {
        code: "unsupported_media_type",
        detail: expect.stringContaining("application/x-tar") as string,
      },
    });
  });

  it("to no thread, or to one that is busy, is refused", async () => {
    const done = Promise.withResolvers<typeof SUCCESS>();
    stack.play(() => done.promise);
    const threadId = await newThread(url);
    await call(`${url}/threads/${threadId}/runs`, "POST", { assistant_id: "lead" });

    expect(await upload("nobody", tarOf([]))).toMatchObject({ status: 404, body: { code: "thread_not_found" } });
    expect(await upload(threadId, tarOf([]))).toMatchObject({ status: 409, body: { code: "thread_busy" } });
    done.resolve(SUCCESS);
  });

  it("that breaks off leaves nothing", async () => {
    const threadId = await newThread(url);
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.on("error", () => undefined);
    socket.write(
      `PUT /threads/${threadId}/workspace HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-tar\r\ncontent-length: 90000\r\n\r\n`,
    );
    socket.write(tarOf([{ name: "a", content: "x" }], { end: false }));
    await expect.poll(() => kept(threadId), { timeout: 10_000 }).not.toEqual([]);

    socket.destroy();

    await expect.poll(() => kept(threadId), { timeout: 10_000 }).toEqual([]);
  });

  it("that is refused in its middle gets its answer all the same", async () => {
    const threadId = await newThread(url);
    const rest = Array.from({ length: 2000 }, (_, n) => ({ name: `f${n}`, content: "x".repeat(10_000) }));

    const answer = await upload(threadId, tarOf([{ name: "../first" }, ...rest]));

    expect(answer).toMatchObject({ status: 422, body: { code: "workspace_entry_refused" } });
  });

  it("under way when a run begins is refused, and the old contents stay", async () => {
    const done = Promise.withResolvers<typeof SUCCESS>();
    const goOn = Promise.withResolvers<undefined>();
    stack.play(() => done.promise);
    const threadId = await newThread(url);
    await upload(threadId, tarOf([{ name: "old.txt", content: "old" }]));
    const before = await kept(threadId);
    const answer = fetch(`${url}/threads/${threadId}/workspace`, {
      method: "PUT",
      headers: { "content-type": "application/x-tar" },
      duplex: "half",
      body: ReadableStream.from(
        (async function* () {
          yield tarOf([{ name: "new.txt", content: "new" }], { end: false });
          await goOn.promise;
          yield tarOf([]);
        })(),
      ),
    });
    await expect.poll(() => kept(threadId), { timeout: 10_000 }).not.toEqual(before);

    await call(`${url}/threads/${threadId}/runs`, "POST", { assistant_id: "lead" });
    goOn.resolve(undefined);
    const response = await answer;

    expect(await response.json()).toMatchObject({ status: 409, code: "thread_busy" });
    expect(await kept(threadId)).toEqual(before);
    done.resolve(SUCCESS);
  });

  it("under way when the gateway closes is refused, and leaves nothing", async () => {
    const threadId = await newThread(url);
    const closing = await stack.open();
    const { promise: never } = Promise.withResolvers<undefined>();
    const answer = fetch(`${closing.url}/threads/${threadId}/workspace`, {
      method: "PUT",
      headers: { "content-type": "application/x-tar" },
      duplex: "half",
      body: ReadableStream.from(
        (async function* () {
          yield tarOf([{ name: "a", content: "x" }], { end: false });
          await never;
        })(),
      ),
    });
    await expect.poll(() => kept(threadId), { timeout: 10_000 }).not.toEqual([]);

    await Promise.all([closing.app.close(), expect(answer).resolves.toMatchObject({ status: 503 })]);

    expect(await kept(threadId)).toEqual([]);
  });
});

describe("files", () => {
  it("are listed by virtual path", async () => {
    const threadId = await newThread(url);
    await upload(threadId, tarOf([{ name: "src/a.ts", content: "x" }]));

    const answer = await call(`${url}/threads/${threadId}/files?path=/mnt/user-data/workspace`);

    expect(answer.body).toMatchObject({
      entries: [{ path: "/mnt/user-data/workspace/src", kind: "directory" }],
      truncated: false,
    });
  });

  it.each(["/etc", "/mnt/user-data/workspace/../../../etc", "../../.."])(
    "outside the roots are refused: %s",
    async (path) => {
      const threadId = await newThread(url);

      expect(await call(`${url}/threads/${threadId}/files?path=${encodeURIComponent(path)}`)).toMatchObject({
        status: 422,
        body: { code: "path_refused" },
      });
    },
  );
});
