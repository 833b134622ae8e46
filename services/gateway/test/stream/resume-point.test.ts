import { expect, it } from "vitest";

import { isAntlerError } from "@antler/contracts";

import { resumePoint } from "../../src/stream/resume-point.ts";

it.each([
  [undefined, undefined, 0],
  ["", 5, 5],
  [undefined, 5, 5],
  ["-1", 5, 0],
  ["12", 5, 12],
])("takes header %j and query %j as %i", (header, since, expected) => {
  expect(resumePoint(header, since)).toBe(expected);
});

it.each(["abc", "1.5", "-2", "99999999999999999999"])("refuses the id %s", (header) => {
  expect(() => resumePoint(header, undefined)).toThrow(
    expect.toSatisfy((error) => isAntlerError(error, "invalid_request")),
  );
});
