import { expect, it } from "vitest";

import { readFaultArguments } from "../faults/fault-arguments.ts";

it.each([
  [[], []],
  [["--short"], ["--tagsFilter=short"]],
  [
    ["-t", "kill -9"],
    ["-t", "kill -9"],
  ],
  [
    ["test/faults/bus-faults.test.ts", "--short"],
    ["--tagsFilter=short", "test/faults/bus-faults.test.ts"],
  ],
])("the fault suite takes %j as %j", (args, selection) => {
  expect(readFaultArguments(args)).toEqual({ selection });
});

it.each([
  [["--shrt"], "Unknown option '--shrt'"],
  [["-t"], "Option '-t, --title <value>' argument missing"],
])("the fault suite refuses %j with the reason and its usage", (args, reason) => {
  expect(readFaultArguments(args)).toEqual(expect.stringContaining(reason));
  expect(readFaultArguments(args)).toEqual(expect.stringContaining("Usage: npm run test:faults"));
});
