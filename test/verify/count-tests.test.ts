import { describe, expect, it } from "vitest";

import { countFromText, countFromVitest } from "./count-tests.ts";
import { chooseSuites, suites } from "./suites.ts";

describe("countFromText", () => {
  it("reads the last summary line", () => {
    const text = "format: passed\n1 passed, 1 failed\n119 passed, 0 failed\n";

    expect(countFromText({ text, report: undefined })).toEqual({ passed: 119, failed: 0, skipped: 0, unexplained: [] });
  });

  it("takes a skip for unexplained", () => {
    const counts = countFromText({ text: "3 passed, 0 failed, 2 skipped", report: undefined });

    expect(counts?.unexplained).toHaveLength(1);
  });

  it("knows nothing when nothing was said", () => {
    expect(countFromText({ text: "crashed", report: undefined })).toBeUndefined();
  });
});

describe("countFromVitest", () => {
  const result = (fullName: string, status: string, meta = {}) => ({ fullName, status, meta });

  it("keeps explained skips apart from unexplained ones", () => {
    const assertionResults = [
      result("works", "passed"),
      result("needs docker", "skipped", { skip_reason: "no docker" }),
      result("left out", "skipped"),
    ];
    const report = JSON.stringify({
      numPassedTests: 1,
      numFailedTests: 0,
      testResults: [{ name: "a.test.ts", assertionResults }],
    });

    expect(countFromVitest({ text: "", report })).toEqual({
      passed: 1,
      failed: 0,
      skipped: 2,
      unexplained: ["left out"],
    });
  });

  it("counts a file that could not be collected as a failure", () => {
    const testResults = [{ name: "a.test.ts", assertionResults: [] }];
    const report = JSON.stringify({ numPassedTests: 0, numFailedTests: 0, testResults });

    expect(countFromVitest({ text: "", report })?.failed).toBe(1);
  });
});

describe("chooseSuites", () => {
  it("keeps the order of the names", () => {
    expect(chooseSuites(["test", "check"]).chosen.map((suite) => suite.name)).toEqual(["test", "check"]);
  });

  it("takes every suite when none is named", () => {
    expect(chooseSuites([]).chosen).toEqual(suites);
  });

  it("leaves out with --ci what runs on request only", () => {
    const { chosen } = chooseSuites(["--ci"]);

    expect(chosen.map(({ name }) => name)).toEqual(["check", "mongo", "cases", "demo", "readme", "test", "faults"]);
  });

  it("names what it does not know", () => {
    expect(chooseSuites(["check", "nope"]).unknown).toEqual(["nope"]);
  });
});
