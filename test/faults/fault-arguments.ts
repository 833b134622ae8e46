import { parseArgs } from "node:util";

export interface FaultSelection {
  /** What vitest is told to run; nothing for every fault. */
  readonly selection: readonly string[];
}

const USAGE = "Usage: npm run test:faults -- [--short] [FILE…] [-t TITLE]";

/** What was asked for; a text says what is wrong with it. */
export function readFaultArguments(args: readonly string[]): FaultSelection | string {
  const parsed = parse(args);
  if (typeof parsed === "string") return `${parsed}. ${USAGE}`;
  const { values, positionals } = parsed;
  const short = values.short === true ? ["--tagsFilter=short"] : [];
  const title = values.title === undefined ? [] : ["-t", values.title];
  return { selection: [...short, ...title, ...positionals] };
}

function parse(args: readonly string[]) {
  const options = { short: { type: "boolean" }, title: { type: "string", short: "t" } } as const;
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    return (error as Error).message;
  }
}
