import { describe, expect, it } from "vitest";

import { refuseEntry } from "../src/archive-entry.ts";
import { pathRefused } from "../src/path-refusal.ts";

describe("a long name in an error", () => {
  const name = `/a${"🙂".repeat(400)}`;
  const shown = `/a${"🙂".repeat(149)}…`;

  it("is cut to 300 characters, never inside a surrogate pair", () => {
    expect(pathRefused("not_found", name).details).toEqual({ reason: "not_found", path: shown });
    expect(pathRefused("not_found", `/${name}`).details).toMatchObject({ path: `//a${"🙂".repeat(148)}…` });
    expect(refuseEntry(name, "is refused").details).toEqual({ entry: shown });
  });
});
