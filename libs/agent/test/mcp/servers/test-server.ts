import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";

const text = (content: string) => ({ content: [{ type: "text" as const, text: content }] });

/** An MCP server with a memory of its own session. */
export function createTestServer(log: (line: string) => void = () => undefined): McpServer {
  const server = new McpServer({ name: "test", version: "1.0.0" });
  let count = 0;
  server.registerTool(
    "add",
    { description: "Add two numbers", inputSchema: { a: z.number(), b: z.number() } },
    (args) => {
      log("add");
      return text(String(args.a + args.b));
    },
  );
  server.registerTool("count", { description: "Count the calls of this session" }, () => text(String((count += 1))));
  server.registerTool("pid", { description: "Tell the id of the process" }, () => text(String(process.pid)));
  server.registerTool("env", { description: "Tell the names of the environment's variables" }, () =>
    text(JSON.stringify(Object.keys(process.env).sort())),
  );
  server.registerTool("fail", { description: "Refuse whatever is asked" }, () => {
    log("fail");
    return { ...text("the disk is full"), isError: true };
  });
  server.registerTool("never", { description: "Give no answer" }, () => new Promise<never>(() => undefined));
  server.registerTool("crash", { description: "End the process" }, () => process.exit(3));
  server.registerTool("long", { description: "Say much" }, () =>
    text(`${"a".repeat(99_999)}\u{1F600}${"b".repeat(9)}\ud83d`),
  );
  server.registerTool("mixed", { description: "Say more than text" }, () => ({
    content: [
      { type: "text", text: "a picture" },
      { type: "image", data: "AAAA", mimeType: "image/png" },
    ],
  }));
  server.registerTool("grow", { description: "Add the tool b to this session" }, () => {
    addLateTool(server);
    return text("grown");
  });
  return server;
}

/** A tool that the server did not have from the beginning. */
export function addLateTool(server: McpServer): void {
  server.registerTool("b", { description: "Came late" }, () => text("late"));
}
