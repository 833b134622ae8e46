import { expect, it } from "vitest";

import { runProcess } from "../src/run-process.ts";

it("ends a process that was just started when its abort comes", async () => {
  const controller = new AbortController();
  let killed = 0;
  const running = runProcess(
    {
      ...{ file: "/bin/sleep", args: ["300"], cwd: "/", env: {}, hasInfo: false },
      mask: (output) => output,
      watch(child) {
        controller.abort(new Error("stopped"));
        return {
          kill: async () => {
            killed += 1;
            child.kill("SIGKILL");
          },
        };
      },
    },
    { timeoutMs: 60_000, signal: controller.signal },
  );

  await expect(running).rejects.toThrow("stopped");
  expect(killed).toBe(1);
});
