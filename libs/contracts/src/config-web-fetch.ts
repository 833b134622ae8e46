import { z } from "zod";

/** The tool with which agents read web pages. */
export const WebFetchConfig = z
  .strictObject({
    enabled: z.boolean().default(true).describe("Give agents the tool web_fetch, in the tool group web"),
    timeout_seconds: z.number().min(0.1).max(600).default(30).describe("Longest fetch, redirects included"),
    max_bytes: z
      .int()
      .min(1)
      .max(64 * 1024 ** 2)
      .default(1024 ** 2)
      .describe("Most bytes of a body after decompression; what is beyond is cut off"),
    max_redirects: z.int().min(0).max(20).default(5).describe("Most redirects that are followed"),
    allowed_ports: z.array(z.int().min(1).max(65_535)).min(1).default([80, 443]).describe("Ports that may be dialled"),
    allowed_hosts: z
      .array(z.string().min(1))
      .default([])
      .describe(
        "Hosts that may be fetched, *.example.com for all below it; empty allows every public host, and none behind a proxy",
      ),
    proxy_url: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe("Proxy that resolves and dials instead; only allowed_hosts are then asked for"),
  })
  .prefault({});
export type WebFetchConfig = z.infer<typeof WebFetchConfig>;
