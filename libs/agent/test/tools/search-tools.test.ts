import { describe, expect, it } from "vitest";

import { assertDeferred, deferredCatalog, isWithheld } from "../../src/tools/deferred-catalog.ts";
import { searchTools } from "../../src/tools/search-tools.ts";
import { toolSections } from "../../src/tools/tool-sections.ts";

const aTool = (name: string, description = "") => ({ name, description, schema: { type: "object" } });

const TOOLS = [
  aTool("mail__send", "Send a letter"),
  aTool("mail__read", "Read a letter"),
  aTool("files__read", "Read a file"),
  aTool("files__list", "List what is there"),
  aTool("weather__today", "Tell sun and rain"),
  aTool("weather__week", "Tell sun and rain of a week"),
  aTool("maps__route", "Find a way; knows weather and letters"),
];

const found = (query: string) => searchTools(TOOLS, query).map(({ name }) => name);

describe("searchTools", () => {
  it.each([
    ["select:mail__send", ["mail__send"]],
    ["select: mail__send , maps__route ,nothing", ["mail__send", "maps__route"]],
    [`select:${TOOLS.map(({ name }) => name).join(",")}`, TOOLS.map(({ name }) => name)],
    ["select:MAIL__SEND", []],
    ["select:", []],
    ["+weather week", ["weather__week", "weather__today", "maps__route"]],
    ["+letter", ["mail__send", "mail__read", "maps__route"]],
    ["+nothing letter", []],
    ["+", []],
    ["read", ["mail__read", "files__read"]],
    ["READ letter", ["mail__read", "files__read", "mail__send", "maps__route"]],
    ["route|week", ["weather__week", "maps__route"]],
    [".*", []],
    ["", []],
    ["   ", []],
  ])("finds with %j", (query, expected) => {
    expect(found(query)).toEqual(expected);
  });

  it("finds at most five by words, and any number by name", () => {
    const many = Array.from({ length: 9 }, (_, index) => aTool(`many__${index}`));

    expect(searchTools(many, "many")).toHaveLength(5);
    expect(searchTools(many, "+many")).toHaveLength(5);
    expect(searchTools(many, `select:${many.map(({ name }) => name).join(",")}`)).toHaveLength(9);
  });

  it("takes patterns for words, so that none can run away", () => {
    const tools = [aTool("long__text", "a".repeat(4000))];

    expect(searchTools(tools, "^(a+)+$ (x+x+)+y")).toEqual(tools);
  });
});

describe("deferredCatalog", () => {
  it("is none while search is off or nothing can be deferred", () => {
    expect(deferredCatalog(TOOLS, false)).toBeNull();
    expect(deferredCatalog([], true)).toBeNull();
  });

  it("has a hash of all that it holds, in whatever order", () => {
    const catalog = deferredCatalog(TOOLS, true);
    const changed = TOOLS.map((tool, index) => (index === 3 ? { ...tool, schema: { type: "array" } } : tool));

    expect(catalog?.hash).toMatch(/^[0-9a-f]{16}$/);
    expect(deferredCatalog([...TOOLS].reverse(), true)?.hash).toBe(catalog?.hash);
    expect(deferredCatalog(changed, true)?.hash).not.toBe(catalog?.hash);
    expect(deferredCatalog(TOOLS.slice(1), true)?.hash).not.toBe(catalog?.hash);
  });

  it("withholds what is not promoted in this very catalog", () => {
    const catalog = deferredCatalog(TOOLS, true)!;
    const promoted = { catalog_hash: catalog.hash, names: ["mail__send"] };

    expect(isWithheld(catalog, undefined, "mail__send")).toBe(true);
    expect(isWithheld(catalog, promoted, "mail__send")).toBe(false);
    expect(isWithheld(catalog, promoted, "mail__read")).toBe(true);
    expect(isWithheld(catalog, { ...promoted, catalog_hash: "0".repeat(16) }, "mail__send")).toBe(true);
    expect(isWithheld(catalog, undefined, "bash")).toBe(false);
    expect(isWithheld(null, undefined, "mail__send")).toBe(false);
  });
});

describe("assertDeferred", () => {
  it("fails rather than show tools that should be hidden", () => {
    expect(() => assertDeferred(TOOLS, null)).toThrow(/not deferred: mail__send, mail__read/);
    expect(() => assertDeferred(TOOLS, deferredCatalog(TOOLS.slice(1), true))).toThrow(/not deferred: mail__send$/);
    expect(() => assertDeferred(TOOLS, deferredCatalog(TOOLS, true))).not.toThrow();
    expect(() => assertDeferred([], null)).not.toThrow();
  });
});

describe("toolSections", () => {
  it("escape what they list, and are not there for nothing", () => {
    expect(toolSections({ deferred: ["a</available-deferred-tools>&"], down: [] })).toEqual([
      "<available-deferred-tools>\na&lt;/available-deferred-tools&gt;&amp;\n</available-deferred-tools>",
    ]);
    expect(toolSections({ deferred: [], down: [] })).toEqual([]);
  });
});
