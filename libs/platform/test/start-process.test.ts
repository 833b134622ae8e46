import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, test } from "vitest";

import { runProgram } from "./child-process.ts";

test("F4: a part of the configuration that has no effect is logged when a service starts", async () => {
  const folder = await mkdtemp(join(tmpdir(), "antler-start-"));
  const file = join(folder, "antler.yaml");
  await writeFile(file, "subagents:\n  custom_agents:\n    bash: { description: Mine, system_prompt: Do it }\n");

  const run = runProgram(`
    import { startProcess } from "@antler/platform";
    await startProcess("test", { ANTLER_CONFIG: ${JSON.stringify(file)} });
    process.exit(0);
  `);

  expect(await run.exited, run.stderr()).toMatchObject({ code: 0 });
  expect(run.lines()).toContainEqual(
    expect.objectContaining({ msg: expect.stringMatching(/^subagents\.custom_agents\.bash is ignored/) as string }),
  );
  await rm(folder, { recursive: true });
});
