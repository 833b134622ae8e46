import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import type { LookupFunction } from "node:net";

import { Agent, type Dispatcher, ProxyAgent } from "undici";

import { AntlerError } from "@antler/contracts";

import { checkAddress, type TargetRules } from "./guarded-target.ts";

/** All addresses of a name. */
export type ResolveHost = (host: string) => Promise<readonly LookupAddress[]>;

export interface DialRules extends TargetRules {
  /** The system's resolver without it. */
  readonly resolve?: ResolveHost;
  /** A proxy resolves and dials instead; only `hosts` that are named can then be trusted. */
  readonly proxyUrl?: string;
}

/**
 * Dials for one guarded fetch. Each name is resolved once, all of its addresses are checked, and the connection is made
 * to one of those: a name that answers otherwise the next time gains nothing.
 */
export function guardedDispatcher(rules: DialRules): Dispatcher {
  if (rules.proxyUrl !== undefined) return new ProxyAgent({ uri: rules.proxyUrl });
  return new Agent({ connect: { lookup: guardedLookup(rules) } });
}

function guardedLookup(rules: DialRules): LookupFunction {
  return (host, { all }, callback) => {
    checkedAddresses(host, rules).then(
      (addresses) => {
        const [first] = addresses;
        if (all === true) callback(null, addresses);
        else callback(null, first?.address ?? "", first?.family ?? 0);
      },
      (error: unknown) => callback(error as NodeJS.ErrnoException, []),
    );
  };
}

async function checkedAddresses(host: string, rules: DialRules): Promise<LookupAddress[]> {
  const resolve = rules.resolve ?? ((name) => lookup(name, { all: true }));
  const addresses = await resolve(host);
  if (addresses.length === 0) throw new AntlerError("fetch_failed", `${host} has no address`);
  for (const { address } of addresses) checkAddress(host, address, rules);
  return [...addresses];
}
