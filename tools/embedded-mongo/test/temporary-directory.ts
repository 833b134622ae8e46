import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { onTestFinished } from "vitest";

/** An empty directory that is removed when the test has ended. */
export async function createTemporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "embedded-mongo-test-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}
