import { parseArgs } from "node:util";

import { benchDelegation } from "./delegation.ts";
import { type Figure, figureLine } from "./figure.ts";

const BENCHES: Readonly<Record<string, () => Promise<readonly Figure[]>>> = {
  delegation: benchDelegation,
};

/** `npm run bench [-- NAME] [--json]`: measures, and prints each figure with its reference of the same run. */
async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ options: { json: { type: "boolean" } }, allowPositionals: true });
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

process.exitCode = await main();
