import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

import { HumanMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";

import { type ModelConfig, parseConfig } from "@antler/contracts";

import { inOrder, says, startModelServer } from "../../../../test/harness/model-server.ts";
import { createModels } from "../../src/index.ts";

function modelsOf(model: Partial<ModelConfig>, environment: Record<string, string> = {}) {
  const entry = { name: "m", provider: "openai", model: "some-model", ...model };
  return createModels(parseConfig({ models: [entry] }, {}), environment);
}

const ask = async (models: ReturnType<typeof modelsOf>) => (await models.get("m")).invoke([new HumanMessage("hello")]);

/** A proxy that hands every request to `port` and notes for whom it was meant. */
async function startProxy(port: number) {
  const targets: string[] = [];
  const proxy = createServer((incoming, response) => {
    targets.push(new URL(incoming.url ?? "").host);
    const { method, headers } = incoming;
    const path = new URL(incoming.url ?? "").pathname;
    const outgoing = request({ host: "127.0.0.1", port, method, headers, path }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    outgoing.on("error", () => response.destroy());
    incoming.pipe(outgoing);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const { port: own } = proxy.address() as AddressInfo;
  return { targets, url: `http://127.0.0.1:${own}`, [Symbol.dispose]: () => proxy.close() };
}

describe("createModels", () => {
  it("makes a model once and shares it", async () => {
    const models = modelsOf({ base_url: "http://127.0.0.1:1/v1" });

    expect(await models.get("m")).toBe(await models.get("m"));
  });

  it("speaks to a compatible server with the key of its variable", async () => {
    await using server = await startModelServer(inOrder(says("hi")));
    const models = modelsOf({ base_url: server.baseUrl, api_key_env: "MY_KEY", temperature: 0.5 }, { MY_KEY: "k1" });

    expect((await ask(models)).text).toBe("hi");
    expect(server.requests[0]).toMatchObject({ model: "some-model", temperature: 0.5 });
  });

  it("speaks to Anthropic", async () => {
    await using server = await startModelServer(inOrder(says("hi")));
    const models = modelsOf(
      {
        provider: "anthropic",
        model: "claude-sonnet-4-5",
        base_url: server.baseUrl.replace("/v1", ""),
        api_key_env: "K",
      },
      { K: "k1" },
    );

    expect((await ask(models)).text).toBe("hi");
  });

  it.each([
    ["openai", "OPENAI_API_KEY"],
    ["anthropic", "ANTHROPIC_API_KEY"],
  ])("names the variable when the key of %s is missing", async (provider, api_key_env) => {
    await expect(modelsOf({ provider, api_key_env }).get("m")).rejects.toMatchObject({
      code: "model_failed",
      message: `Model m has no key: set the environment variable ${api_key_env}`,
    });
  });

  it.each(["http://127.0.0.1:1/v1", undefined])(
    "names the variable whose key cannot be sent to %s",
    async (base_url) => {
      const models = modelsOf(
        { ...(base_url !== undefined && { base_url }), api_key_env: "MY_KEY" },
        { MY_KEY: "sk-…" },
      );
      await expect(models.get("m")).rejects.toMatchObject({
        code: "model_failed",
        message: "Model m: MY_KEY holds characters that stand in no key; copy the whole key into it",
      });
    },
  );

  it("names the provider when it is not installed", async () => {
    await expect(modelsOf({ provider: "nobody" }).get("m")).rejects.toMatchObject({
      code: "model_failed",
      message: expect.stringMatching(/^Model m of provider nobody: /) as string,
    });
  });

  it("names the configured models when another is asked for", async () => {
    await expect(modelsOf({}).get("x")).rejects.toMatchObject({
      code: "model_unknown",
      message: "Model x is not among models: m",
    });
  });

  it("reaches a provider through the proxy of the environment", async () => {
    await using server = await startModelServer(inOrder(says("hi")));
    using proxy = await startProxy(Number(new URL(server.baseUrl).port));
    const models = modelsOf({ base_url: "http://model.example/v1" }, { HTTP_PROXY: proxy.url });

    expect((await ask(models)).text).toBe("hi");
    expect(proxy.targets).toEqual(["model.example"]);
    await models.close();
  });

  it("never takes loopback through a proxy, nor hosts of NO_PROXY", async () => {
    await using server = await startModelServer(inOrder(says("hi")));
    using proxy = await startProxy(1);
    const environment = { HTTP_PROXY: proxy.url, NO_PROXY: "model.invalid" };

    expect((await ask(modelsOf({ base_url: server.baseUrl }, environment))).text).toBe("hi");
    await expect(ask(modelsOf({ base_url: "http://model.invalid/v1" }, environment))).rejects.toThrow();
    expect(proxy.targets).toEqual([]);
  });
});
