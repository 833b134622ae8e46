import { describe, expect, it } from "vitest";

import {
  AntlerError,
  ERROR_CODES,
  type ErrorCode,
  isAntlerError,
  messageOf,
  Problem,
  problemOf,
  storedErrorOf,
} from "../src/index.ts";

const codes = Object.keys(ERROR_CODES) as ErrorCode[];
const shown = codes.filter((code) => ERROR_CODES[code].status !== 500);
const internal = codes.filter((code) => ERROR_CODES[code].status === 500);

describe("problem documents", () => {
  it.each(shown)("of %s carry its code, status, title, remedy and the message", (code) => {
    const problem = Problem.parse(problemOf(new AntlerError(code, "Field x is wrong"), "t1"));

    expect(problem).toEqual({
      type: `https://antler.dev/errors/${code}`,
      title: ERROR_CODES[code].title,
      status: ERROR_CODES[code].status,
      detail: "Field x is wrong",
      code,
      remedy: ERROR_CODES[code].remedy,
      trace_id: "t1",
    });
  });

  it.each(internal)("of %s are `internal` and keep the message home", (code) => {
    const problem = problemOf(new AntlerError(code, "secret", { details: { key: "secret" } }));

    expect(problem).toMatchObject({ code: "internal", status: 500 });
    expect(JSON.stringify(problem)).not.toContain("secret");
  });

  it.each([new Error("secret"), "secret", null, undefined])("of %s are `internal`", (thrown) => {
    expect(problemOf(thrown)).toMatchObject({ code: "internal", status: 500 });
    expect(JSON.stringify(problemOf(thrown))).not.toContain("secret");
  });

  it("carry the details that a client may see, which never overrule the document's own fields", () => {
    const details = { limit: "sandbox.upload.max_files", status: 200 };
    const problem = problemOf(new AntlerError("workspace_too_large", "Too many files", { details }));

    expect(problem).toMatchObject({ limit: "sandbox.upload.max_files", status: 413 });
  });
});

describe("error codes", () => {
  it.each(codes)("%s says title, cause and remedy in whole sentences", (code) => {
    const { status, title, cause, remedy } = ERROR_CODES[code];

    expect(code).toMatch(/^[a-z][a-z_]*$/);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(title).toMatch(/^[A-Z].*[^.]$/);
    expect(cause).toMatch(/^[^a-z].*\.$/);
    expect(remedy).toMatch(/^[A-Z].*\.$/);
  });
});

describe("errors", () => {
  it("are recognised by code, also when another copy of the package made them", () => {
    const error = new AntlerError("thread_busy", "Busy");
    const foreign = Object.assign(new Error("Busy"), { [Symbol.for("antler.error")]: true, code: "thread_busy" });

    for (const candidate of [error, foreign]) {
      expect(isAntlerError(candidate)).toBe(true);
      expect(isAntlerError(candidate, "queue_full", "thread_busy")).toBe(true);
      expect(isAntlerError(candidate, "queue_full")).toBe(false);
    }
    expect([null, "x", new Error("x"), {}].map((value) => isAntlerError(value))).toEqual([false, false, false, false]);
  });

  it("keep their cause and say whether a repetition may help", () => {
    const cause = new Error("socket closed");

    expect(new AntlerError("store_unavailable", "Gone", { cause })).toMatchObject({ cause, retry: "later" });
    expect(new AntlerError("run_not_found", "None")).toMatchObject({ retry: "never", details: {} });
  });

  it("are stored as code and message", () => {
    expect(storedErrorOf(new AntlerError("model_failed", "401"))).toEqual({ code: "model_failed", message: "401" });
  });

  it("give a bounded message of anything thrown", () => {
    expect(messageOf(new Error("x".repeat(5000)))).toHaveLength(2000);
    expect(messageOf(5)).toBe("5");
  });
});
