import { parseArgs } from "node:util";

import { benchDelegation } from "./delegation.ts";
import { type Figure, figureLine } from "./figure.ts";

const BENCHES: Readonly<Record<string, () => Promise<readonly Figure[]>>> = {
  delegation: benchDelegation,
};

/** `npm run bench [-- NAME] [--json]`: measures, and prints each figure with its reference of the same run. */
async function main(): Promise<number> {
  const usage = `Usage: npm run bench -- [${Object.keys(BENCHES).join(" | ")}] [--json]`;
  const parsed = parse();
  if (typeof parsed === "string") {
    process.stderr.write(`${parsed}. ${usage}\n`);
    return 2;
  }
  const { values, positionals } = parsed;
  const unknown = positionals.find((name) => !(name in BENCHES));
  if (unknown !== undefined) {
    process.stderr.write(`There is no bench "${unknown}"; there are: ${Object.keys(BENCHES).join(", ")}\n`);
    return 2;
  }
  const chosen = positionals.length > 0 ? positionals : Object.keys(BENCHES);
  for (const name of chosen) {
    for (const figure of (await BENCHES[name]?.()) ?? []) {
      process.stdout.write(
        `${values.json === true ? JSON.stringify({ bench: name, ...figure }) : figureLine(figure)}\n`,
      );
    }
  }
  return 0;
}

/** What was asked for, or what is wrong with it. */
function parse() {
  try {
    return parseArgs({ options: { json: { type: "boolean" } }, allowPositionals: true });
  } catch (error) {
    return (error as Error).message;
  }
}

process.exitCode = await main();
