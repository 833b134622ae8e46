const source = "--conditions=antler-dev";

/**
 * What each npm script runs in Node 24, from the root of the repository. `usage` is what follows `npm run NAME --`;
 * a command whose program explains itself has none.
 */
export const commands = {
  demo: {
    run: [source, "deploy/local/src/demo/main.ts"],
    usage: "[--workspace DIR] [--json] [--verbose] [--allow-host-bash]",
    does: "starts the stack and lets a lead and three subagents survey DIR, this repository by default",
  },
  start: {
    run: [source, "deploy/local/src/start/main.ts"],
    usage: "[--port N] [--verbose] [--allow-host-bash]",
    does: "keeps the stack up and prints where it answers",
  },
  test: { run: [source, "deploy/local/src/run-tests/main.ts"] },
  antler: { run: [source, "apps/cli/src/main.ts"] },
  "test:mongo": {
    run: [source, "tools/embedded-mongo/test/run-compatibility.ts"],
    usage: "",
    does: "runs the compatibility checks against the embedded document store, or the server at MONGODB_URL",
  },
  verify: {
    run: [source, "test/verify/main.ts"],
    usage: "[--ci] [SUITE…]",
    does: "runs the suites in order; with --ci those that every change is tested with",
  },
  check: {
    run: ["test/check/main.ts"],
    usage: "[NAME…]",
    does: "checks format, types, lint, import arrows, dead code and single copies, or those that are named",
  },
  bench: { run: [source, "test/bench/main.ts"], usage: "[NAME…] [--json]", does: "measures" },
  docs: { run: [source, "test/docs/main.ts"], usage: "", does: "writes the generated pages again" },
  invariants: {
    run: [source, "test/invariants/main.ts"],
    usage: "RUN_ID",
    does: "judges what the store holds of a run; the store is that of a running `npm start`, or MONGODB_URL",
  },
  "test:cases": {
    run: [source, "test/cases/main.ts"],
    usage: "",
    does: "runs the tests of the numbered behaviours and says which of them have none",
  },
  "test:faults": {
    run: [source, "test/faults/main.ts"],
    usage: "[--short] [FILE…] [-t TITLE]",
    does: "injects every fault and prints the matrix; with --short the ones that every change is tested with",
  },
  soak: {
    run: [source, "test/soak/main.ts"],
    usage: "[--minutes N] [--seed S]",
    does: "steady work under random kills of every service, 10 minutes by default; the last line is JSON",
  },
  build: { run: ["node_modules/typescript/bin/tsc", "-b"], usage: "", does: "compiles to dist" },
  format: {
    run: ["node_modules/prettier/bin/prettier.cjs", "--write", "--log-level", "warn", "."],
    usage: "",
    does: "formats everything",
  },
  clean: {
    run: [],
    usage: "",
    does: "removes .antler with data, reports, logs and fetched tools; refuses while a stack runs",
  },
};

const isHelp = (arg) => arg === "--help" || arg === "-h";

/** The explanation that was asked for, or what is wrong with the arguments; undefined when the command is to run. */
export function answerInstead(name, args) {
  const command = commands[name];
  if (command === undefined) {
    return { exitCode: 2, text: `Unknown command "${name ?? ""}"; known are: ${Object.keys(commands).join(", ")}` };
  }
  if (command.usage === undefined) return undefined;
  const line = command.usage === "" ? `npm run ${name}` : `npm run ${name} -- ${command.usage}`;
  if (args.some(isHelp)) return { exitCode: 0, text: `Usage: ${line}\n${command.does}` };
  if (command.usage !== "" || args.length === 0) return undefined;
  return { exitCode: 2, text: `${name} takes no arguments, but was given ${args.join(" ")}. Usage: ${line}` };
}
