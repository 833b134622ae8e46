import { appendFileSync } from "node:fs";

import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

import { createTestServer } from "./test-server.ts";

const [, , logFile] = process.argv;

/** Serves the test tools on standard input and output; each call is a line of the file given as argument. */
const server = createTestServer((line) => {
  if (logFile !== undefined) appendFileSync(logFile, `${line}\n`);
});
await server.connect(new StdioServerTransport());
