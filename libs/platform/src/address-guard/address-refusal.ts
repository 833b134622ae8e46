import { isIP } from "node:net";

import ipaddr from "ipaddr.js";

/** Services of cloud providers that tell secrets, at addresses that look public. */
const METADATA: ReadonlySet<string> = new Set(["168.63.129.16"]);

/** Addresses that carry others inside, or that nobody is given yet, lie outside of this range or of `unicast`. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");

/** Why an address must not be dialled; null for a public one. */
export function addressRefusal(address: string): string | null {
  const bare = address.split("%", 1)[0] ?? "";
  if (isIP(bare) === 0) return "is not an IP address";
  const parsed = ipaddr.parse(bare);
  const range = rangeOf(parsed);
  if (range !== "unicast") return `is not public (${range})`;
  return METADATA.has(parsed.toString()) ? "is not public (metadata service)" : null;
}

function rangeOf(address: ipaddr.IPv4 | ipaddr.IPv6): string {
  const range = address.range();
  if (range !== "unicast" || address.kind() === "ipv4") return range;
  return (address as ipaddr.IPv6).match(GLOBAL_UNICAST) ? range : "reserved";
}
