import { createHash } from "node:crypto";

/**
 * A name that is one harmless path component also where case is not told apart: kept when it is 1 to 64 of a-z, 0-9,
 * `-` and `_`, else its harmless part with 20 hexadecimal digits of its SHA-256.
 */
export function safeName(name: string): string {
  if (/^[a-z0-9_-]{1,64}$/.test(name)) return name;
  const harmless = name
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "-")
    .slice(0, 32);
  return `${harmless}.${createHash("sha256").update(name).digest("hex").slice(0, 20)}`;
}
