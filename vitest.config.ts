import { availableParallelism } from "node:os";

import { defineConfig } from "vitest/config";

/** Packages resolve to their sources, so that tests never see a stale build. */
const conditions = ["antler-dev", "node", "import", "default"];

/** `npm test` runs the project `test`; the others are suites of `npm run verify`. */
function project(name: string, include: string[]): { extends: true; test: { name: string; include: string[] } } {
  return { extends: true, test: { name, include } };
}

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    execArgv: ["--conditions=antler-dev"],
    maxWorkers: Math.max(1, Math.min(4, availableParallelism())),
    testTimeout: 30_000,
    expect: { poll: { timeout: 10_000 } },
    hookTimeout: 60_000,
    tags: [{ name: "short", description: "Faults that every change is tested with" }],
    projects: [
      project("test", [
        "{libs,services,apps,tools}/*/test/**/*.test.ts",
        "deploy/local/test/**/*.test.ts",
        "test/!(demo|faults|readme)/**/*.test.ts",
      ]),
      project("demo", ["test/demo/**/*.test.ts"]),
      project("readme", ["test/readme/**/*.test.ts"]),
      project("faults", ["test/faults/**/*.test.ts"]),
    ],
    coverage: { include: ["{libs,services,apps,tools}/*/src/**/*.ts", "deploy/local/src/**/*.ts"] },
  },
});
