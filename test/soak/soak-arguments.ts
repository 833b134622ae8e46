import { parseArgs } from "node:util";

export interface SoakArguments {
  readonly minutes: number;
  readonly seed: number;
}

const USAGE = "Usage: npm run soak -- [--minutes N] [--seed S]";

/** What was asked for; a text says what is wrong with it. */
export function readSoakArguments(args: readonly string[]): SoakArguments | string {
  const values = parse(args);
  if (typeof values === "string") return `${values}. ${USAGE}`;
  const [minutes, seed] = [Number(values.minutes ?? 10), Number(values.seed ?? 1)];
  if (!(minutes > 0 && minutes <= 24 * 60))
    return `--minutes ${values.minutes} is not a number above 0 and up to 1440. ${USAGE}`;
  if (!Number.isSafeInteger(seed)) return `--seed ${values.seed} is not a whole number. ${USAGE}`;
  return { minutes, seed };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: { minutes: { type: "string" }, seed: { type: "string" } } }).values;
  } catch (error) {
    return (error as Error).message;
  }
}
