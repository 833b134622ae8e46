import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type Gateway, type GatewayStack, startGatewayStack } from "../gateway-stack.ts";
import { call, newThread } from "../http-client.ts";

let stack: GatewayStack;
let gateway: Gateway;

beforeAll(async () => {
  stack = await startGatewayStack();
  gateway = await stack.open();
});
afterAll(async () => {
  await gateway.app.close();
  await stack.stop();
});

const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
const run = (fields: string) => `{"assistant_id":"lead",${fields}}`;

async function refusal(path: string, body: string) {
  const headers = { "content-type": "application/json", "idempotency-key": "k" };
  const response = await fetch(`${gateway.url}${path}`, { method: "POST", headers, body });
  return { status: response.status, body: await response.json() };
}

describe("a body that no document can hold", () => {
  it.each([
    ["a zero character in a name", run(`"metadata":{"a":[{"k\\u0000":1}]}`), "metadata.a.0.k\\0"],
    ["deep input", run(`"input":{"d":${nested(20_000)}}`), "input"],
    ["a deep answer", run(`"command":{"resume":${nested(101)}}`), "command"],
  ])("is refused with the field: %s", async (_what, body, path) => {
    const threadId = await newThread(gateway.url);

    for (const route of ["", "/wait", "/stream"]) {
      const refused = await refusal(`/threads/${threadId}/runs${route}`, body);
      expect(refused).toMatchObject({ status: 422, body: { code: "invalid_request", errors: [{ path }] } });
    }
    expect((await call<unknown[]>(`${gateway.url}/threads/${threadId}/runs`)).body).toEqual([]);
  });

  it("is refused as the metadata of a thread too", async () => {
    expect(await refusal("/threads", `{"metadata":{"k\\u0000":1}}`)).toMatchObject({
      status: 422,
      body: { errors: [{ path: "metadata.k\\0" }] },
    });
  });
});
