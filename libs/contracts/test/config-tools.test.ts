import { describe, expect, it } from "vitest";

import { parseConfig } from "../src/index.ts";

const faultOf = (servers: object) => {
  try {
    parseConfig({ tools: { mcp: { servers } } }, {});
    return "";
  } catch (error) {
    return (error as Error).message;
  }
};

describe("the configuration of tools", () => {
  it("has no servers and shows all tools by default", () => {
    expect(parseConfig({}, {}).tools).toEqual({
      tool_search: { enabled: false },
      mcp: { connect_timeout_seconds: 10, idle_seconds: 300, max_idle_threads: 32, servers: {} },
    });
  });

  it("takes processes and HTTP servers", () => {
    const servers = {
      files: { transport: "stdio", command: "files-server" },
      docs: { transport: "http", url: "https://docs.example/mcp", group: "docs", timeout_seconds: 5 },
    };

    expect(parseConfig({ tools: { mcp: { servers } } }, {}).tools.mcp.servers).toEqual({
      files: { ...servers.files, args: [], env: [], enabled: true, group: "mcp", timeout_seconds: 60 },
      docs: { ...servers.docs, headers_env: {}, enabled: true },
    });
  });

  it.each([
    ["a transport that is not known", { a: { transport: "ftp" } }, "tools.mcp.servers.a.transport"],
    ["a server without an address", { a: { transport: "http" } }, "tools.mcp.servers.a.url"],
    ["an address that is not HTTP", { a: { transport: "http", url: "file:///x" } }, "tools.mcp.servers.a.url"],
    ["a name that tools could not carry", { a__b: { transport: "stdio", command: "c" } }, "tools.mcp.servers"],
    ["a value where a variable's name belongs", { a: { transport: "stdio", command: "c", env: ["A=1"] } }, "env.0"],
    [
      "a header's value",
      { a: { transport: "http", url: "http://x", headers_env: { K: "Bearer x" } } },
      "headers_env.K",
    ],
    ["a tool that may outlast its task", { a: { transport: "stdio", command: "c", timeout_seconds: 1800 } }, "below"],
  ])("refuses %s", (_what, servers, expected) => {
    expect(faultOf(servers)).toContain(expected);
  });
});
