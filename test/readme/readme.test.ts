import { readFile } from "node:fs/promises";
import { resolve } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { says } from "../harness/model-server.ts";
import { type ServiceStack, startServiceStack } from "../harness/service-stack.ts";
import { readCommands, readExamples } from "./read-examples.ts";
import { runExample } from "./run-example.ts";

const textOf = (name: string): Promise<string> => readFile(resolve(import.meta.dirname, "../..", name), "utf8");

const page = await textOf("README.md");
const httpPage = await textOf("docs/http.md");
const { scripts } = JSON.parse(await textOf("package.json")) as { scripts: Record<string, string> };
const ANSWER = "The answer of the model server.";

let stack: ServiceStack;

beforeAll(async () => {
  stack = await startServiceStack({ answer: () => says(ANSWER) });
}, 120_000);

afterAll(() => stack.stop());

describe("the examples of README and docs/http.md, as they stand", () => {
  const examples = readExamples(page, "Calling it");

  it("begin with the address that the named port gives", () => {
    const [, port = ""] = /npm start -- --port (\d+)/.exec(page) ?? [];
    expect(examples[0]).toEqual({ language: "sh", code: `export ANTLER_URL=http://127.0.0.1:${port}\n` });
    expect(examples.slice(1).map(({ language }) => language)).toEqual(["sh", "js"]);
  });

  it.each([...examples.slice(1), ...readExamples(httpPage, "Creating a run")])(
    "$language: $code",
    async (example) => {
      const end = await runExample(example, { ANTLER_URL: stack.url });
      expect(end, end.errors).toMatchObject({ exitCode: 0, errors: "" });
      expect(end.output).toContain(ANSWER);
    },
    90_000,
  );
});

it.each([...new Set(readCommands(page))])("npm knows the README's command %s", (name) => {
  expect(Object.keys(scripts)).toContain(name);
});
