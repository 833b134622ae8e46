import { spawn } from "node:child_process";
import { once } from "node:events";

import { expect, test } from "vitest";

import { runProgram } from "./child-process.ts";

const WAIT = { timeout: 10_000, interval: 10 };
const WATCHER = `
  import { watchParent } from "@antler/platform";
  setInterval(() => {}, 1000);
  watchParent(Number(process.argv[1]), () => { console.log("gone"); process.exit(7); });
  console.log("watching");
`;

test("tells within two seconds that the process is gone", async () => {
  const parent = spawn(process.execPath, ["--eval", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  await once(parent, "spawn");
  const run = runProgram(WATCHER, [String(parent.pid)]);
  await expect.poll(run.stdout, WAIT).toContain("watching");
  const died = once(parent, "exit");
  parent.kill("SIGKILL");
  await died;
  const diedMs = performance.now();
  expect(await run.exited).toMatchObject({ code: 7 });
  expect(performance.now() - diedMs).toBeLessThan(2000);
});

test("tells it of its own parent, also while that one is not reaped", async () => {
  const launcher = runProgram(
    `
    import { spawn } from "node:child_process";
    const args = ["--conditions=antler-dev", "--input-type=module", "--eval", process.argv[1], String(process.pid)];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"] });
    setInterval(() => {}, 1000);
    console.log("pid:" + child.pid);
  `,
    [WATCHER],
  );
  await expect.poll(launcher.stdout, WAIT).toContain("watching");
  const killedMs = performance.now();
  launcher.child.kill("SIGKILL");
  await launcher.exited;
  expect(launcher.stdout()).toContain("gone");
  expect(performance.now() - killedMs).toBeLessThan(2000);
});

test("keeps no process alive, and is silent once closed", async () => {
  const run = runProgram(`
    import { watchParent } from "@antler/platform";
    watchParent(process.pid, () => console.log("gone"));
    watchParent(1, () => console.log("gone")).close();
  `);
  expect(await run.exited).toMatchObject({ code: 0 });
  expect(run.stdout()).toBe("");
});
