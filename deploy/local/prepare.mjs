import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";

import { takeLock } from "./folder-lock.mjs";
import { dependenciesOf } from "./install-dependencies.mjs";
import { nodeOf } from "./provide-node.mjs";
import { listMissingSystemTools } from "./system-tools.mjs";

const say = (text) => process.stderr.write(text);

/** Does one step of the preparation and says, in one line, what it is and how long it took. */
async function fetchPart(part) {
  const startedAt = performance.now();
  say(`antler: ${part.what} … `);
  const fault = await part.fetch();
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  say(fault === undefined ? `${seconds} s\n` : `failed after ${seconds} s\n`);
  return fault === undefined ? [] : [`${part.name}: ${fault}`];
}

/** Two commands started at once in a fresh clone prepare it one after the other. */
async function takeTurn(root) {
  let told = false;
  for (;;) {
    const attempt = takeLock(join(root, ".antler/prepare.lock"));
    if (attempt.lock !== undefined) return attempt.lock;
    if (!told) say(`antler: waiting for pid ${attempt.holder.pid}, which is preparing this folder\n`);
    told = true;
    await sleep(200);
  }
}

function report(faults, root) {
  say("antler: could not fetch:\n");
  for (const fault of faults) say(`  - ${fault}\n`);
  for (const tool of listMissingSystemTools(root)) say(`  - ${tool}: not tried before the above is there\n`);
  say("antler: connect to the network once, or set HTTPS_PROXY, and run the same command again\n");
}

/**
 * Makes the repository in `root` ready to run. Returns the path of a Node that is new enough, or nothing after having
 * named on stderr each thing that could not be fetched.
 */
export async function prepare(root) {
  const node = nodeOf(root);
  const parts = [dependenciesOf(root), node];
  if (parts.every((part) => part.isPresent())) return node.path;
  const turn = await takeTurn(root);
  try {
    const faults = [];
    for (const part of parts) if (!part.isPresent()) faults.push(...(await fetchPart(part)));
    if (faults.length === 0) return node.path;
    report(faults, root);
    return undefined;
  } finally {
    turn.release();
  }
}
