#!/usr/bin/env node
import { runMain } from "@antler/platform";

import { createProgram } from "./program.ts";

runMain(async () => {
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  await createProgram({ environment: process.env, print }).parseAsync(process.argv);
});
