import { readFileSync } from "node:fs";
import { join } from "node:path";

import { type ChatCompletionRequest, type ChatMessage, LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { registerAnswers } from "../../src/demo/replay/survey-answers.ts";
import { SURVEY_REQUEST } from "../../src/demo/survey-brief.ts";
import { toolsOver } from "./replayed-tools.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const mock = new LLMock({ host: "127.0.0.1", port: 0 });

beforeAll(async () => {
  registerAnswers(mock, { latencyMs: 0 });
  await mock.start();
});

afterAll(() => mock.stop());

type Tools = Readonly<Record<string, (args: Record<string, string>) => string | Promise<string>>>;

async function ask(request: Partial<ChatCompletionRequest>): Promise<ChatMessage> {
  const response = await fetch(`${mock.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "m", ...request }),
  });
  const { choices } = (await response.json()) as { choices: { message: ChatMessage }[] };
  return choices[0]!.message;
}

/** The agent's loop in its simplest form. */
async function runAgent(prompt: string, tools: Tools, messages: ChatMessage[] = []): Promise<string> {
  if (messages.length === 0) messages.push({ role: "system", content: "You work." }, { role: "user", content: prompt });
  const definitions = Object.keys(tools).map((name) => ({ type: "function" as const, function: { name } }));
  for (;;) {
    const message = await ask({ messages, tools: definitions });
    messages.push(message);
    if (message.tool_calls === undefined) return message.content as string;
    for (const { id, function: call } of message.tool_calls) {
      const args = JSON.parse(call.arguments) as Record<string, string>;
      messages.push({ role: "tool", tool_call_id: id, content: await tools[call.name]!(args) });
    }
  }
}

function surveyTools(folder: string, started: string[] = []): Tools {
  const tools = toolsOver(folder);
  const task = async ({ prompt = "", subagent_type = "" }: Record<string, string>): Promise<string> => {
    started.push(subagent_type);
    return `Task Succeeded. Result: ${await runAgent(prompt, tools)}`;
  };
  return { ...tools, task };
}

function output(folder: string, name: string): string {
  return readFileSync(join(folder, "outputs", name), "utf8");
}

describe("the replayed survey", () => {
  it("counts any names and any bytes as find and wc do, and reports the same numbers", async () => {
    const folder = temporaryFolder({
      "workspace/README.md": "# Forest\n\nTrees.\n",
      "workspace/a b/one é.py": "1\n2\n3\n",
      "workspace/a b/line\nbreak.py": "1\n",
      "workspace/'quoted\".ts": "1\n2\n",
      "workspace/no-newline.ts": "1\n2",
      "workspace/empty.ts": "",
      "workspace/-n.bin": "\u0000\n",
    });
    const started: string[] = [];

    const answer = await runAgent(SURVEY_REQUEST, surveyTools(folder, started));

    expect(started).toEqual(["bash", "general-purpose", "general-purpose"]);
    expect(JSON.parse(output(folder, "counts.json"))).toEqual({
      files: 7,
      lines: 11,
      languages: {
        Python: { files: 2, lines: 4 },
        TypeScript: { files: 3, lines: 3 },
        Markdown: { files: 1, lines: 3 },
        Other: { files: 1, lines: 1 },
      },
    });
    expect(output(folder, "report.md")).toContain("| **Total** | **7** | **11** |");
    expect(answer).toContain("7 files with 11 lines");
  });

  it("quotes in the report what the tools really found", async () => {
    const folder = temporaryFolder({
      "workspace/README.md": "# Forest\n\nTrees.\n",
      "workspace/src/main.go": "package oak\n",
    });

    await runAgent(SURVEY_REQUEST, surveyTools(folder));

    expect(output(folder, "report.md")).toMatch(/> # Forest[^]*src\/main\.go[^]*> package oak/);
  });

  it("goes on from any point of the conversation as if nothing had happened", async () => {
    const folder = temporaryFolder({ "workspace/a.py": "1\n" });
    const whole: ChatMessage[] = [];
    const answer = await runAgent(SURVEY_REQUEST, surveyTools(folder), whole);

    for (let length = 2; length < whole.length; length += 1) {
      if (whole[length]?.role !== "assistant") continue;
      expect(await runAgent(SURVEY_REQUEST, surveyTools(folder), whole.slice(0, length))).toBe(answer);
    }
  });

  it("says so when the counts could not be made", async () => {
    const folder = temporaryFolder({ "workspace/a.py": "1\n" });
    const bash = () => "Error: no sandbox";
    const read_file = () => "Error: file not found";

    const answer = await runAgent(SURVEY_REQUEST, { ...surveyTools(folder), bash, read_file });

    expect(answer).toContain("There are no counts to report");
  });

  it("answers whatever else is asked", async () => {
    expect(await runAgent("Hello", {})).toMatch(/replayed answer/);
  });
});
