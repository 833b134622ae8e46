const source = "--conditions=antler-dev";

/** What each npm script runs in Node 24, from the root of the repository. */
export const commands = {
  demo: [source, "deploy/local/src/demo/main.ts"],
  start: [source, "deploy/local/src/start/main.ts"],
  test: [source, "deploy/local/src/run-tests/main.ts"],
  "test:mongo": [source, "tools/embedded-mongo/test/run-compatibility.ts"],
  verify: [source, "test/verify/main.ts"],
  check: ["test/check/main.ts"],
  bench: [source, "test/bench/main.ts"],
  docs: [source, "test/docs/main.ts"],
  invariants: [source, "test/invariants/main.ts"],
  "test:cases": [source, "test/cases/main.ts"],
  "test:faults": [source, "test/faults/main.ts"],
  soak: [source, "test/soak/main.ts"],
  build: ["node_modules/typescript/bin/tsc", "-b"],
  format: ["node_modules/prettier/bin/prettier.cjs", "--write", "--log-level", "warn", "."],
  clean: [],
};
