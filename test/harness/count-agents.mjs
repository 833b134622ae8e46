import { subscribe } from "node:diagnostics_channel";
import { appendFileSync } from "node:fs";

/** Loaded into a service with `--import`: writes a line to the file of COUNT_AGENTS for each agent that is made. */
const file = process.env.COUNT_AGENTS;
if (file !== undefined)
  subscribe("antler.agent.created", ({ checkpointer }) => {
    appendFileSync(file, `${JSON.stringify({ pid: process.pid, hasCheckpointer: checkpointer !== null })}\n`);
  });
