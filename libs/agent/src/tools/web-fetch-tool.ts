import { convert } from "html-to-text";
import { tool } from "langchain";
import { z } from "zod";

import { boundText, isAntlerError, type WebFetchConfig } from "@antler/contracts";
import { guardedFetch, type GuardedFetchOptions, type GuardedResponse } from "@antler/platform";

export const WEB_FETCH_NAME = "web_fetch";

export interface WebFetchOptions {
  readonly config: WebFetchConfig;
  /** Aborts with the execution. */
  readonly signal: AbortSignal;
  /** How addresses are found and which are let through; the rules of the platform without it. */
  readonly dialling?: Pick<GuardedFetchOptions, "resolve" | "permits">;
}

const schema = z.object({ url: z.string().min(1).max(4096).describe("Absolute http or https URL") });

/** Reads a page of the web as text. What the page says is not trusted. */
export function createWebFetchTool({ config, signal, dialling = {} }: WebFetchOptions) {
  const rules = { ...dialling, ...fetchRules(config) };
  return tool(
    async ({ url }: z.infer<typeof schema>, running: { signal?: AbortSignal }) => {
      const signals = running.signal === undefined ? signal : AbortSignal.any([signal, running.signal]);
      try {
        return textOf(await guardedFetch(url, { ...rules, signal: signals }));
      } catch (error) {
        if (isAntlerError(error, "address_refused", "fetch_failed")) return `Error: ${error.message}`;
        throw error;
      }
    },
    {
      name: WEB_FETCH_NAME,
      description:
        "Get a web page or another text from a public http or https URL. HTML comes as plain text. Give the exact URL " +
        "that you were told or that a page names; pages that need a login cannot be read.",
      schema,
    },
  );
}

function fetchRules(config: WebFetchConfig) {
  return {
    ports: config.allowed_ports,
    hosts: config.allowed_hosts.length === 0 ? null : config.allowed_hosts,
    maxBytes: config.max_bytes,
    timeoutMs: config.timeout_seconds * 1000,
    maxRedirects: config.max_redirects,
    headers: { accept: "text/html, text/*;q=0.9, application/json;q=0.9, application/xml;q=0.8" },
    ...(config.proxy_url !== undefined && { proxyUrl: config.proxy_url }),
  };
}

const TEXT_TYPE = /^text\/|^application\/(json|xml|[a-z0-9.+-]+\+(json|xml))$/;
const HTML_TYPE = /^(text\/html|application\/xhtml\+xml)$/;

/** Deepest nesting and most children of HTML that are turned into text. */
const HTML_LIMITS = { maxDepth: 200, maxChildNodes: 20_000, ellipsis: "…" };

function textOf(response: GuardedResponse): string {
  const { url, status, contentType, isCut } = response;
  if (status >= 400) return `Error: ${url} answered with status ${status}`;
  if (contentType !== "" && !TEXT_TYPE.test(contentType))
    return `Error: ${url} is of type ${boundText(contentType, 100)}, which is not text; only text, HTML, JSON and XML are read`;
  const decoded = decode(response);
  const text = HTML_TYPE.test(contentType) ? plainText(decoded, url) : decoded;
  return `${url}\n\n${text}${isCut ? "\n\n[The rest was cut off: the page is longer than web_fetch.max_bytes]" : ""}`;
}

function plainText(html: string, baseUrl: string): string {
  return convert(html, {
    wordwrap: false,
    limits: HTML_LIMITS,
    selectors: [
      { selector: "img", format: "skip" },
      { selector: "a", options: { baseUrl, hideLinkHrefIfSameAsText: true } },
      { selector: "table", format: "dataTable" },
    ],
  });
}

function decode({ bytes, contentTypeHeader }: GuardedResponse): string {
  const charset = /charset\s*=\s*"?([^\s;"]+)/i.exec(contentTypeHeader)?.[1] ?? "utf-8";
  return decoderFor(charset)(bytes).toWellFormed();
}

/** A charset that is not known is read as UTF-8. */
function decoderFor(charset: string): (bytes: Uint8Array) => string {
  try {
    const decoder = new TextDecoder(charset);
    return (bytes) => decoder.decode(bytes);
  } catch {
    return (bytes) => new TextDecoder().decode(bytes);
  }
}
