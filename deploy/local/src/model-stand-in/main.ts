import { parseArgs } from "node:util";

import { LLMock } from "@copilotkit/aimock";

import { watchParent } from "../watch-parent.ts";

/** What a module of answers exports. */
interface Answers {
  readonly registerAnswers: (mock: LLMock, options: { readonly latencyMs: number }) => void;
}

const { values } = parseArgs({ options: { port: { type: "string", default: "0" }, answers: { type: "string" } } });

const answers = (await import(values.answers ?? "./default-answers.ts")) as Answers;
const mock = new LLMock({ host: "127.0.0.1", port: Number(values.port) });
answers.registerAnswers(mock, { latencyMs: Number(process.env["ANTLER_REPLAY_LATENCY_MS"] ?? 250) });
await mock.start();
watchParent(process.env["ANTLER_PARENT_PID"], () => process.exit(0));
process.on("SIGTERM", () => void mock.stop().finally(() => process.exit(0)));
process.stdout.write(`${JSON.stringify({ event: "ready", http_port: mock.port })}\n`);
