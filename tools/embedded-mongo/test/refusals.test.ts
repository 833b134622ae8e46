import { join } from "node:path";

import { MongoClient } from "mongodb";
import { expect, it, onTestFinished } from "vitest";

import { isStartupError, startEmbeddedMongo } from "../src/index.ts";
import { connect } from "./connect.ts";
import { failToStart } from "./server-process.ts";
import { createTemporaryDirectory } from "./temporary-directory.ts";

it("refuses to run in production, with the reason", async () => {
  const refused = await failToStart(await createTemporaryDirectory(), [], { NODE_ENV: "production" });
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toContain("does not run under NODE_ENV=production");
  expect(refused.stderr).toContain("MONGODB_URL");
});

it.each(["0.0.0.0", "::", "192.168.1.5", "example.com"])("refuses to listen on %s", async (host) => {
  const error: unknown = await startEmbeddedMongo({ host }).catch((reason: unknown) => reason);
  expect(isStartupError(error, "address_refused")).toBe(true);
  expect(String(error)).toContain("loopback");
});

it("names an unknown flag and a missing data directory", async () => {
  const directory = await createTemporaryDirectory();
  expect((await failToStart(directory, ["--bogus"])).stderr).toContain("--bogus");
  expect((await failToStart("")).stderr).toContain("--data-dir");
});

it("serves on a unix socket", async () => {
  const server = await startEmbeddedMongo({ host: join(await createTemporaryDirectory(), "mongo.sock") });
  onTestFinished(() => server.close());
  const client = await connect(server.url);
  await client.db("test").collection("items").insertOne({ a: 1 });
  expect(await client.db("test").collection("items").countDocuments()).toBe(1);
});

it("refuses a document above 16 MB with code 10334, and serves on", async () => {
  const server = await startEmbeddedMongo();
  onTestFinished(() => server.close());
  const items = (await connect(server.url)).db("test").collection("items");
  const text = "x".repeat(16 * 1024 * 1024);
  await expect(items.insertOne({ text })).rejects.toMatchObject({ code: 10334 });
  await items.insertOne({ text: text.slice(100) });
  expect(await items.countDocuments()).toBe(1);
});

it("ends a connection that sends a message above 48 MB", async () => {
  const server = await startEmbeddedMongo();
  onTestFinished(() => server.close());
  const client = new MongoClient(server.url, { retryWrites: false, serverSelectionTimeoutMS: 2000 });
  onTestFinished(() => client.close());
  const documents = Array.from({ length: 4 }, () => ({ text: "x".repeat(13_000_000) }));
  await expect(client.db("test").command({ insert: "items", documents })).rejects.toThrow();
  expect(await client.db("test").collection("items").countDocuments()).toBe(0);
});
