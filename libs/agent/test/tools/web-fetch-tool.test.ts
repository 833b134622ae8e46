import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

import { describe, expect, it } from "vitest";

import { parseConfig } from "@antler/contracts";

import { calls, inOrder, says, startModelServer, toolNames } from "../../../../test/harness/model-server.ts";
import { toolsInScope } from "../../src/tools/tool-policy.ts";
import { createWebFetchTool } from "../../src/tools/web-fetch-tool.ts";
import { aConfig, openWorkspaces } from "../support/executions.ts";
import { startLead } from "../support/lead-runs.ts";

interface Site extends AsyncDisposable {
  readonly base: string;
  /** What the tool answers for a path of the site. */
  fetch(path: string, web?: object): Promise<string>;
}

/** A site on the loopback address under the name `site.test`, and the tool that may reach it. */
async function aSite(answer: RequestListener, signal = new AbortController().signal): Promise<Site> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const base = `http://site.test:${port}`;
  const dialling = {
    permits: (address: string) => address === "127.0.0.1",
    resolve: async () => [{ address: "127.0.0.1", family: 4 }],
  };
  return {
    base,
    async fetch(path, web = {}) {
      const { web_fetch: config } = parseConfig({ web_fetch: { allowed_ports: [port], ...web } }, {});
      return createWebFetchTool({ config, signal, dialling }).invoke({ url: `${base}${path}` });
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const page = (type: string, body: string | Buffer): RequestListener => {
  return (_request, response) => response.writeHead(200, { "content-type": type }).end(body);
};

describe("web_fetch", () => {
  it("shows HTML as text, without scripts, with its links", async () => {
    const html =
      "<html><head><title>T</title><script>steal()</script><style>p{}</style></head>" +
      '<body><h1>News</h1><p>First <b>point</b></p><a href="/more">More</a><img src="x.png"></body></html>';
    await using site = await aSite(page("text/html; charset=utf-8", html));

    const text = await site.fetch("/");

    expect(text.startsWith(`${site.base}/\n\n`)).toBe(true);
    expect(text).toContain("First point");
    expect(text).toContain(`${site.base}/more`);
    expect(text).not.toMatch(/steal|p\{\}|<b>|x\.png/);
  });

  it.each([
    ["text/plain", "plain"],
    ["application/json", '{"a":1}'],
    ["application/ld+json", "{}"],
    ["application/xml", "<a/>"],
    ["application/rss+xml; charset=utf-8", "<rss/>"],
  ])("shows %s as it is", async (type, body) => {
    await using site = await aSite(page(type, body));
    expect(await site.fetch("/x")).toBe(`${site.base}/x\n\n${body}`);
  });

  it.each(["application/pdf", "image/png", "application/octet-stream"])("refuses %s by its type", async (type) => {
    await using site = await aSite(page(type, "%PDF"));
    const text = await site.fetch("/x");
    expect(text).toMatch(/^Error: /);
    expect(text).toContain(type);
    expect(text).not.toContain("%PDF");
  });

  it("reads the page's own charset, and gives well-formed text whatever the bytes are", async () => {
    await using latin = await aSite(page("text/plain; charset=iso-8859-1", Buffer.from([0xe9])));
    await using broken = await aSite(page("text/plain; charset=no-such", Buffer.from([0x61, 0xff, 0xf0, 0x9f])));
    expect(await latin.fetch("/")).toContain("é");
    expect((await broken.fetch("/")).isWellFormed()).toBe(true);
  });

  it("cuts a page at the bound and says so", async () => {
    await using site = await aSite(page("text/plain", "x".repeat(5000)));
    const text = await site.fetch("/", { max_bytes: 100 });
    expect(text).toContain(`${"x".repeat(100)}\n\n[The rest was cut off`);
    expect(text).not.toContain("x".repeat(101));
  });

  it("tells the status of a page that is not there", async () => {
    await using site = await aSite((_request, response) => response.writeHead(404).end());
    expect(await site.fetch("/gone")).toBe(`Error: ${site.base}/gone answered with status 404`);
  });

  it("answers refusals and time bounds with an error that names the reason", async () => {
    await using site = await aSite(() => undefined);
    expect(await site.fetch("/", { timeout_seconds: 0.1 })).toContain("did not answer within 0.1 s");
    expect(await site.fetch("/", { allowed_ports: [443] })).toMatch(/^Error: Address is refused: .*allowed are 443/);
    expect(await site.fetch("/", { allowed_hosts: ["docs.example.com"] })).toContain("docs.example.com");
  });

  it("stops with the execution", async () => {
    const controller = new AbortController();
    await using site = await aSite(() => controller.abort(new Error("run is over")), controller.signal);
    await expect(site.fetch("/")).rejects.toThrow("run is over");
  });
});

describe("the tool web_fetch", () => {
  it("belongs to the group web and to those who may fetch", () => {
    const scope = { canRunCommands: false, canFetch: true, mcp: [] };
    expect(toolsInScope({ ...scope, groups: ["web"] })).toEqual(["web_fetch"]);
    expect(toolsInScope({ ...scope, groups: ["web"], canFetch: false })).toEqual([]);
    expect(toolsInScope({ ...scope, groups: ["file:read"] })).not.toContain("web_fetch");
  });

  it("reaches nothing of this machine in a run", async () => {
    await using server = await startModelServer(
      inOrder(calls({ name: "web_fetch", args: { url: "http://127.0.0.1/secret" }, id: "w1" }), says("Refused.")),
    );
    const config = aConfig(server.baseUrl);
    await using opened = await openWorkspaces(config);

    expect(await startLead({ config, ...opened }).outcome).toMatchObject({ status: "success" });
    expect(JSON.stringify(server.requests[1]?.messages.at(-1))).toContain("which is not public (loopback)");
  });

  it("is not there when the configuration turns it off", async () => {
    await using server = await startModelServer(inOrder(says("Done")));
    const config = aConfig(server.baseUrl, { web_fetch: { enabled: false } });
    await using opened = await openWorkspaces(config);
    await startLead({ config, ...opened }).outcome;
    expect(server.requests.map(toolNames)[0]).not.toContain("web_fetch");
  });
});
