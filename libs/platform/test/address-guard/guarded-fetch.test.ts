import { gzipSync } from "node:zlib";

import { describe, expect, it } from "vitest";

import { guardedFetch } from "../../src/address-guard/guarded-fetch.ts";
import { localServer, loopbackOptions } from "./address-servers.ts";

const hello = localServer.bind(null, (_request, response) => {
  response.setHeader("content-type", "text/plain; charset=utf-8");
  response.end("hello");
});

describe("a guarded fetch", () => {
  it("gets a page from the one address that it resolved and checked", async () => {
    await using server = await hello();
    const asked: string[] = [];
    const resolve = async (host: string) => {
      asked.push(host);
      return [{ address: "127.0.0.1", family: 4 }];
    };
    const url = `http://public.test:${server.port}/page`;

    const response = await guardedFetch(url, loopbackOptions(server.port, { resolve }));

    expect(response).toMatchObject({ url, status: 200, contentType: "text/plain", isCut: false });
    expect(Buffer.from(response.bytes).toString()).toBe("hello");
    expect(asked).toEqual(["public.test"]);
  });

  it.each([
    ["a private address", [{ address: "10.0.0.1", family: 4 }]],
    [
      "one private address among public ones",
      [
        { address: "93.184.216.34", family: 4 },
        { address: "::1", family: 6 },
      ],
    ],
    ["a mapped address", [{ address: "::ffff:10.0.0.1", family: 6 }]],
  ])("dials nothing for a name with %s", async (_case, addresses) => {
    await using server = await hello();
    const options = loopbackOptions(server.port, { resolve: async () => addresses });
    await expect(guardedFetch(`http://public.test:${server.port}/`, options)).rejects.toMatchObject({
      code: "address_refused",
      message: expect.stringContaining("public.test has the address") as string,
    });
    expect(server.paths).toEqual([]);
  });

  it("does not let a name turn private between check and connection", async () => {
    await using server = await hello();
    let asked = 0;
    const resolve = async () => {
      asked += 1;
      return [{ address: asked === 1 ? "10.0.0.1" : "127.0.0.1", family: 4 }];
    };
    const options = loopbackOptions(server.port, { resolve });
    await expect(guardedFetch(`http://public.test:${server.port}/`, options)).rejects.toMatchObject({
      code: "address_refused",
    });
    expect({ asked, paths: server.paths }).toEqual({ asked: 1, paths: [] });
  });

  it("has no way to this machine without leave", async () => {
    await using server = await hello();
    const options = loopbackOptions(server.port);
    const strict = { ...options, permits: () => false };
    for (const host of ["127.0.0.1", "public.test"])
      await expect(guardedFetch(`http://${host}:${server.port}/`, strict)).rejects.toMatchObject({
        code: "address_refused",
      });
    expect(server.paths).toEqual([]);
  });

  it.each([
    ["http://10.0.0.1/", "private"],
    ["http://localhost/", "inner network"],
    ["http://public.test:22/", "port 22"],
    ["http://u:p@public.test/", "credentials"],
    ["file:///etc/passwd", "neither http nor https"],
  ])("checks the redirect to %s like a first URL", async (location, reason) => {
    await using server = await localServer((_request, response) => {
      response.writeHead(302, { location }).end();
    });
    await expect(
      guardedFetch(`http://public.test:${server.port}/`, loopbackOptions(server.port)),
    ).rejects.toMatchObject({ code: "address_refused", message: expect.stringContaining(reason) as string });
    expect(server.paths).toEqual(["/"]);
  });

  it("follows redirects, also relative ones, up to the bound", async () => {
    await using server = await localServer(({ url = "" }, response) => {
      const step = Number(url.slice(1));
      if (step === 0) response.end("there");
      else response.writeHead(307, { location: `/${step - 1}` }).end();
    });
    const get = (steps: number) =>
      guardedFetch(`http://public.test:${server.port}/${steps}`, loopbackOptions(server.port));
    expect(await get(3)).toMatchObject({ status: 200, url: `http://public.test:${server.port}/0` });
    await expect(get(4)).rejects.toMatchObject({
      code: "fetch_failed",
      message: expect.stringContaining("3 times") as string,
    });
  });

  it("counts a compressed body as it unpacks and lets go of the rest", async () => {
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
    await using server = await localServer((_request, response) => {
      response.writeHead(200, { "content-type": "text/plain", "content-encoding": "gzip" }).end(bomb);
    });
    const response = await guardedFetch(`http://public.test:${server.port}/`, loopbackOptions(server.port));
    expect(response).toMatchObject({ isCut: true });
    expect(response.bytes).toHaveLength(1000);
  });

  it("ends at its time bound, also when a body drips", async () => {
    await using server = await localServer((_request, response) => {
      const timer = setInterval(() => response.write("x"), 20);
      response.once("close", () => clearInterval(timer));
    });
    const options = loopbackOptions(server.port, { timeoutMs: 200 });
    await expect(guardedFetch(`http://public.test:${server.port}/`, options)).rejects.toMatchObject({
      code: "fetch_failed",
      message: expect.stringContaining("0.2 s") as string,
    });
  });

  it("ends with the signal and its reason", async () => {
    const controller = new AbortController();
    await using server = await localServer(() => controller.abort(new Error("run is over")));
    const options = loopbackOptions(server.port, { signal: controller.signal });
    await expect(guardedFetch(`http://public.test:${server.port}/`, options)).rejects.toThrow("run is over");
  });

  it("says what is wrong with a server that is not there", async () => {
    await using server = await hello();
    const { port } = server;
    await server[Symbol.asyncDispose]();
    await expect(guardedFetch(`http://public.test:${port}/`, loopbackOptions(port))).rejects.toMatchObject({
      code: "fetch_failed",
      message: expect.stringContaining("ECONNREFUSED") as string,
    });
  });
});

describe("behind a proxy", () => {
  it("only named hosts are asked for, and the proxy finds them", async () => {
    await using proxy = await localServer((_request, response) => response.end("from afar"));
    const proxied = {
      proxyUrl: `http://127.0.0.1:${proxy.port}`,
      resolve: () => Promise.reject(new Error("names are the proxy's")),
    };
    const options = loopbackOptions(80, { ...proxied, hosts: ["docs.example.com"] });
    const url = "http://docs.example.com/";

    expect(await guardedFetch(url, options)).toMatchObject({ status: 200, url });
    for (const [other, hosts] of [
      ["http://other.example.com/", options.hosts],
      [url, null],
    ] as const)
      await expect(guardedFetch(other, { ...options, hosts })).rejects.toMatchObject({ code: "address_refused" });
    expect(proxy.paths).toEqual([url]);
  });
});
