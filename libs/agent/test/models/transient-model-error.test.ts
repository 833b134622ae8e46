import { describe, expect, it } from "vitest";

import { isTransientModelError } from "../../src/models/transient-model-error.ts";

const withStatus = (status: number, code?: string) => Object.assign(new Error("x"), { status, code });

describe("isTransientModelError", () => {
  it.each([408, 409, 425, 429, 500, 502, 503, 504, 529])("takes status %i for passing", (status) => {
    expect(isTransientModelError(withStatus(status))).toBe(true);
  });

  it.each([400, 401, 403, 404, 422])("takes status %i for lasting", (status) => {
    expect(isTransientModelError(withStatus(status))).toBe(false);
  });

  it("takes an exhausted quota for lasting, though its status is 429", () => {
    expect(isTransientModelError(withStatus(429, "insufficient_quota"))).toBe(false);
  });

  it("takes an answer that is no JSON for passing", () => {
    const parse = () => JSON.parse('{"choices":[{"delta') as unknown;

    expect(parse).toThrow(expect.toSatisfy(isTransientModelError));
  });

  it("finds a broken connection under the errors that wrap it", () => {
    const reset = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });

    expect(isTransientModelError(new Error("fetch failed", { cause: new Error("x", { cause: reset }) }))).toBe(true);
    expect(isTransientModelError(new TypeError("terminated"))).toBe(true);
    expect(isTransientModelError(new Error("something else"))).toBe(false);
    expect(isTransientModelError(undefined)).toBe(false);
  });
});
