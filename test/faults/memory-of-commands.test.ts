import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { expect, it } from "vitest";

import { temporaryDirectory } from "../harness/temporary-directory.ts";
import { MEBIBYTE, probedEnvironment, reportGrowth } from "./stack/measured-process.ts";

const main = fileURLToPath(new URL("flood/main.ts", import.meta.url));
const OUTPUT_BYTES = 1_000_000_000;
const GROWTH_LIMIT = 64 * MEBIBYTE;

interface Flood {
  readonly exitCode: number;
  readonly output: string;
  readonly growth: number;
  readonly peak: number;
}

async function flood(bytes: number): Promise<Flood> {
  await using directory = await temporaryDirectory();
  const probe = join(directory.path, "probe");
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--conditions=antler-dev", main, join(directory.path, "workspaces"), String(bytes), probe],
    { env: { PATH: process.env["PATH"], ...probedEnvironment(probe) } },
  );
  return JSON.parse(stdout) as Flood;
}

it("a command that prints 1 GB is held in bounded memory, to its end", { timeout: 150_000 }, async () => {
  const { exitCode, output, growth, peak } = await flood(OUTPUT_BYTES);

  reportGrowth("1 GB of command output", growth, GROWTH_LIMIT);
  reportGrowth("1 GB of command output, at most", peak, GROWTH_LIMIT);
  expect(exitCode).toBe(0);
  expect(output.startsWith("FIRST\na line of the output\n")).toBe(true);
  expect(output.endsWith("\nLAST\n")).toBe(true);
  expect(growth).toBeLessThan(GROWTH_LIMIT);
  expect(peak).toBeLessThan(GROWTH_LIMIT);
});
