import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, test } from "vitest";

import { temporaryDirectory } from "../../../test/harness/temporary-directory.ts";
import { loadConfig } from "../src/index.ts";

async function faultOf(yaml: string, environment: Record<string, string> = {}): Promise<string> {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "antler.yaml");
  await writeFile(path, yaml);
  const error: unknown = await loadConfig({ path, environment }).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "config_invalid" });
  return (error as Error).message.replaceAll(path, "antler.yaml");
}

test("reads the file that ANTLER_CONFIG names, with the environment over it", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "own.yaml");
  await writeFile(path, "http:\n  port: 9000\n  host: 127.0.0.2\nmongodb:\n  database: mine\n");
  const config = await loadConfig({ environment: { ANTLER_CONFIG: path, ANTLER_HTTP_PORT: "9001" } });
  expect(config.http).toMatchObject({ port: 9001, host: "127.0.0.2" });
  expect(config.mongodb.database).toBe("mine");
});

test("takes defaults when nothing names a file and there is no antler.yaml", async () => {
  await using directory = await temporaryDirectory();
  const cwd = process.cwd();
  process.chdir(directory.path);
  const config = await loadConfig({ environment: {} }).finally(() => {
    process.chdir(cwd);
  });
  expect(config.nats.url).toBe("nats://127.0.0.1:4222");
});

test("an empty file means defaults", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "antler.yaml");
  await writeFile(path, "# nothing\n");
  await expect(loadConfig({ path, environment: {} })).resolves.toMatchObject({ http: { port: 8123 } });
});

test("a named file that is missing is a fault that names it and the variable", async () => {
  const loading = loadConfig({ environment: { ANTLER_CONFIG: "/nowhere/antler.yaml" } });
  await expect(loading).rejects.toMatchObject({
    code: "config_invalid",
    message: expect.stringMatching(/\/nowhere\/antler\.yaml cannot be read.*ENOENT.*ANTLER_CONFIG/) as string,
  });
});

test("names every fault at once, each with its path and line", async () => {
  const yaml = [
    "http:",
    "  port: eighty",
    "delivery:",
    "  lease_seconds: -1",
    "  lease_secs: 3",
    "models:",
    "  - name: a",
    "    provider: openai",
    "    model: a",
    "    temperature: 9",
    "colour: red",
  ].join("\n");
  const message = await faultOf(yaml);
  expect(message).toMatch(/^Configuration is not valid:/);
  expect(message).toMatch(/http\.port: .*number.*\(antler\.yaml line 2\)/);
  expect(message).toMatch(/delivery\.lease_seconds: .*\(antler\.yaml line 4\)/);
  expect(message).toMatch(/delivery\.lease_secs: .*\(antler\.yaml line 5\)/);
  expect(message).toMatch(/models\.0\.temperature: .*\(antler\.yaml line 10\)/);
  expect(message).toMatch(/colour: .*\(antler\.yaml line 11\)/);
});

test("a missing field is placed at what lacks it", async () => {
  expect(await faultOf("models:\n  - name: a\n    model: b\n")).toMatch(/models\.0\.provider: .*line 2\)/);
});

test("a faulty variable is named instead of a line", async () => {
  const message = await faultOf("http:\n  port: 1\n", { ANTLER_HTTP_PORT: "http", ANTLER_LOG_LEVEL: "loud" });
  expect(message).toMatch(/http\.port: .*\(from ANTLER_HTTP_PORT\)/);
  expect(message).toMatch(/logging\.level: .*\(from ANTLER_LOG_LEVEL\)/);
});

test("limits that contradict each other are named", async () => {
  expect(await faultOf("delivery:\n  lease_seconds: 20\n")).toMatch(
    /delivery\.lease_seconds: must be below delivery\.ack_wait_seconds \(antler\.yaml line 2\)/,
  );
});

test.each([
  ["a syntax error", "http:\n  port: [1\nx: 2\n", /line \d+:/],
  ["a key twice", "http:\n  port: 1\n  port: 2\n", /antler\.yaml line 3: Map keys must be unique/],
  ["an unknown tag", "http: !!js/function x\n", /antler\.yaml line 1: .*tag/i],
  ["a second document", "http: {}\n---\nhttp: {}\n", /line \d+: .*multiple documents/],
  ["an alias without anchor", "http: *none\n", /none/],
])("%s is a fault with its line", async (_name, yaml, expected) => {
  const message = await faultOf(yaml);
  expect(message).toMatch(/not YAML/);
  expect(message).toMatch(expected);
});

test.each([
  ["a list", "- 1\n"],
  ["a word", "antler\n"],
])("%s instead of a map is a fault", async (_name, yaml) => {
  expect(await faultOf(yaml)).toContain("(root): ");
});

test("never repeats a value, which may be a secret", async () => {
  const message = await faultOf("mongodb:\n  url: [s3cret]\nhttp:\n  port: s3cret\n", { ANTLER_DATABASE: "s3 cret" });
  expect(message).not.toMatch(/s3 ?cret/);
});
