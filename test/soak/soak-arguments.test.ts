import { expect, it } from "vitest";

import { readSoakArguments } from "./soak-arguments.ts";

it.each([
  [[], { minutes: 10, seed: 1 }],
  [["--minutes", "0.5", "--seed", "7"], { minutes: 0.5, seed: 7 }],
  [["--minutes=1440"], { minutes: 1440, seed: 1 }],
])("a soak takes %j as %j", (args, expected) => {
  expect(readSoakArguments(args)).toEqual(expected);
});

it.each([
  [["--minutes", "x"], "--minutes x is not"],
  [["--minutes", "0"], "--minutes 0 is not"],
  [["--minutes", ""], "--minutes  is not"],
  [["--minutes", "1441"], "--minutes 1441 is not"],
  [["--seed", "1.5"], "--seed 1.5 is not"],
  [["--seeds", "1"], "Unknown option '--seeds'"],
  [["5"], "Unexpected argument '5'"],
])("a soak refuses %j with the reason and its usage", (args, reason) => {
  expect(readSoakArguments(args)).toEqual(expect.stringContaining(reason));
  expect(readSoakArguments(args)).toEqual(expect.stringContaining("Usage: npm run soak"));
});
