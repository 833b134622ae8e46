import { isIP } from "node:net";

import { AntlerError, headOf } from "@antler/contracts";

import { addressRefusal } from "./address-refusal.ts";

/** Which targets are let through. */
export interface TargetRules {
  /** Ports that may be dialled. */
  readonly ports: readonly number[];
  /** Only these hosts, where `*.example.com` stands for every name below it; null for every public host. */
  readonly hosts: readonly string[] | null;
  /** Lets an address through that is not public, such as a server of this machine; nothing without it. */
  readonly permits?: (address: string) => boolean;
}

/** Names that never stand for a public host. */
const INNER_NAME = /(^|\.)(localhost|local|localdomain|internal|intranet|lan|home\.arpa)$/;

/** Host of an absolute URL as it was written, without port and credentials. */
const WRITTEN_HOST = /^[a-z][a-z0-9+.-]*:[\\/]{2,}(?:[^\\/?#]*@)?([^:\\/?#]*)/i;

/**
 * The URL of a text, checked as far as can be without resolving its name.
 * @throws AntlerError `address_refused` that says what is refused and what would be let through.
 */
export function guardedTarget(text: string, rules: TargetRules, base?: URL): URL {
  const url = URL.parse(text, base?.href);
  if (url === null) throw refused(text, "is not a URL; give an absolute http or https URL");
  if (url.protocol !== "http:" && url.protocol !== "https:") throw refused(text, "is neither http nor https");
  if (url.username !== "" || url.password !== "") throw refused(url.host, "comes with credentials; leave them out");
  checkPort(url, rules);
  checkHost(url, text, rules);
  return url;
}

/** @throws AntlerError `address_refused` when an address that a host has is not let through. */
export function checkAddress(host: string, address: string, { permits }: Pick<TargetRules, "permits">): void {
  const refusal = addressRefusal(address);
  if (refusal === null || permits?.(address) === true) return;
  throw refused(host, `has the address ${address}, which ${refusal}`);
}

/** The host of a URL without brackets and final dot. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
}

function checkPort(url: URL, { ports }: TargetRules): void {
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  if (!ports.includes(port)) throw refused(url.host, `has the port ${port}; allowed are ${ports.join(", ")}`);
}

function checkHost(url: URL, text: string, rules: TargetRules): void {
  const host = hostOf(url);
  if (isIP(host) === 0) {
    if (host === "" || INNER_NAME.test(host)) throw refused(host, "is a name of an inner network");
  } else {
    if (isIP(host) === 4 && isDisguised(text, host)) throw refused(text, `is ${host} in another spelling`);
    checkAddress(host, host, rules);
  }
  if (rules.hosts !== null && !rules.hosts.some((pattern) => isNamed(host, pattern.toLowerCase())))
    throw refused(host, `is not among the allowed hosts (${rules.hosts.join(", ") || "none"})`);
}

/** Whether an IPv4 address was written in decimal, octal, hexadecimal, short or foreign digits. */
function isDisguised(text: string, host: string): boolean {
  const written = WRITTEN_HOST.exec(text.trim().replaceAll(/[\t\n\r]/g, ""))?.[1];
  return written !== undefined && written !== host;
}

function isNamed(host: string, pattern: string): boolean {
  return pattern.startsWith("*.") ? host.endsWith(pattern.slice(1)) : host === pattern;
}

function refused(what: string, reason: string): AntlerError {
  return new AntlerError("address_refused", `Address is refused: ${headOf(what.toWellFormed(), 200)} ${reason}`);
}
