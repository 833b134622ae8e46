import { describe, expect, it } from "vitest";

import { calls, says, startModelServer } from "../../../../test/harness/model-server.ts";
import { aConfig, aRun, openWorkspaces } from "../support/executions.ts";
import { startLead } from "../support/lead-runs.ts";

/** A lead that needs ten model calls. */
const tenCalls = (_request: unknown, index: number) =>
  index === 9
    ? says("Done")
    : calls({ name: "ls", args: { description: `look ${index}`, path: `/mnt/user-data/workspace` }, id: `l${index}` });

describe("FC-C09 a lead that needs more model calls than it may make", () => {
  it.each([
    ["runs.max_model_calls", { configured: 7, requested: 12, struckAt: 7 }],
    ["runs.max_model_calls", { configured: 7, requested: undefined, struckAt: 7 }],
    ["config.recursion_limit", { configured: 12, requested: 7, struckAt: 7 }],
  ])("ends at %s, which its error names (%j)", async (name, { configured, requested, struckAt }) => {
    await using server = await startModelServer(tenCalls);
    const document = { runs: { max_model_calls: configured }, loop_detection: { enabled: false } };
    const config = aConfig(server.baseUrl, document);
    await using opened = await openWorkspaces(config);
    const run = aRun({ config: requested === undefined ? {} : { recursion_limit: requested } });

    const outcome = await startLead({ config, ...opened, run }).outcome;

    expect(outcome).toMatchObject({ status: "error", stop_reason: "turn_capped" });
    expect(outcome.error?.message).toBe(`The lead reached its limit of ${struckAt} model calls; raise ${name}`);
    expect(server.requests).toHaveLength(struckAt);
  });

  it("never ends at the graph's own limit, whatever stands around a call", async () => {
    await using server = await startModelServer((request, index) =>
      (request.tools ?? []).length === 0 ? says("Summary") : tenCalls(request, index % 9),
    );
    const summarization = { enabled: true, trigger_messages: 2, keep_messages: 1 };
    const document = { runs: { max_model_calls: 12 }, loop_detection: { enabled: false }, summarization };
    const config = aConfig(server.baseUrl, document);
    await using opened = await openWorkspaces(config);

    const outcome = await startLead({ config, ...opened }).outcome;

    expect(outcome.error?.message).toBe("The lead reached its limit of 12 model calls; raise runs.max_model_calls");
    expect(server.requests.filter(({ tools = [] }) => tools.length === 0).length).toBeGreaterThan(3);
  });

  it("ends by itself when both let it", async () => {
    await using server = await startModelServer(tenCalls);
    const document = { runs: { max_model_calls: 12 }, loop_detection: { enabled: false } };
    const config = aConfig(server.baseUrl, document);
    await using opened = await openWorkspaces(config);

    const outcome = await startLead({ config, ...opened, run: aRun({ config: { recursion_limit: 10 } }) }).outcome;

    expect(outcome).toMatchObject({ status: "success", output: { last_message: "Done" } });
  });
});
