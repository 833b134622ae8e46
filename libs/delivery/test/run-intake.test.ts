import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { connectBus } from "@antler/bus";
import { type ErrorCode, isAntlerError } from "@antler/contracts";
import { newId, newTraceContext } from "@antler/platform";
import { inFlight } from "@antler/store";

import { aRunRequest, type DeliveryStack, startDeliveryStack } from "../../../test/harness/delivery-stack.ts";
import { startNats } from "../../../test/harness/nats.ts";
import { temporaryDirectory } from "../../../test/harness/temporary-directory.ts";
import { createRunIntake, type DeliveryDeps, type RunIntake, type RunRequest, submitRun } from "../src/index.ts";

let stack: DeliveryStack;
let deps: DeliveryDeps;

beforeAll(async () => {
  stack = await startDeliveryStack();
  deps = await stack.connect();
});
afterAll(() => stack.stop());

function withDelivery(given: Partial<DeliveryDeps["config"]["delivery"]>): DeliveryDeps {
  return { ...deps, config: { ...deps.config, delivery: { ...deps.config.delivery, ...given } } };
}

/** What became of each request: `stored`, or the code with which it was refused. */
function submitAll(intakes: readonly RunIntake[], requests: readonly RunRequest[]): Promise<string[]> {
  return Promise.all(
    requests.map(async (request, index) => {
      const intake = intakes[index % intakes.length]!;
      try {
        await intake.within(request, () => submitRun(deps, request));
        return "stored";
      } catch (error) {
        return isAntlerError(error) ? error.code : String(error);
      }
    }),
  );
}

const requests = (count: number, given: Partial<RunRequest>) =>
  Array.from({ length: count }, () => aRunRequest({ tenant_id: newId(), ...given }));

const count = (outcomes: readonly string[], what: "stored" | ErrorCode) =>
  outcomes.filter((outcome) => outcome === what).length;

/** Nothing works in this file, so that whatever was stored still waits. */
describe("runs that come at once", () => {
  it("get exactly the places that their lane has", async () => {
    const [interactive, batch] = [requests(20, {}), requests(20, { lane: "batch" })];
    const intake = createRunIntake(withDelivery({ max_queued: 5 }));

    const outcomes = await submitAll([intake], [...interactive, ...batch]);

    expect([count(outcomes, "stored"), count(outcomes, "queue_full")]).toEqual([10, 30]);
    expect(await deps.store.runs.countPending("lead", "interactive", 100)).toBe(5);
    expect(await deps.store.runs.countPending("lead", "batch", 100)).toBe(5);
    expect(await submitAll([intake], requests(1, {}))).toEqual(["queue_full"]);
  });

  it("get exactly the places that their tenant has, whatever state its runs are in", async () => {
    const tenant_id = newId();
    const intake = createRunIntake(withDelivery({ max_in_flight_per_tenant: 4 }));
    const [first] = requests(1, { tenant_id });
    await submitAll([intake], [first!]);
    await deps.store.runs.claim(first!._id, { id: newId(), runner_id: "r", pid: 1 }, 60_000);

    const outcomes = await submitAll([intake], [...requests(20, { tenant_id }), ...requests(2, {})]);

    expect([count(outcomes, "stored"), count(outcomes, "tenant_limit_reached")]).toEqual([5, 17]);
    expect(await deps.store.runs.count(inFlight(tenant_id), 100)).toBe(4);
    await deps.store.runs.force(first!._id, {}, { status: "success", fields: {}, owed: [] });
    expect(await submitAll([intake], requests(2, { tenant_id }))).toEqual(["stored", "tenant_limit_reached"]);
  });

  it("to several processes go beyond a limit by no more than those store at once", async () => {
    const tenant_id = newId();
    const limited = withDelivery({ max_in_flight_per_tenant: 6 });
    const intakes = [createRunIntake(limited), createRunIntake(limited), createRunIntake(limited)];

    const outcomes = await submitAll(intakes, requests(60, { tenant_id }));

    const stored = await deps.store.runs.count(inFlight(tenant_id), 100);
    expect(stored).toBe(count(outcomes, "stored"));
    expect(stored).toBeGreaterThanOrEqual(6);
    expect(stored).toBeLessThanOrEqual(6 * intakes.length);
  });

  it("give their place back when they are not stored", async () => {
    const tenant_id = newId();
    const intake = createRunIntake(withDelivery({ max_in_flight_per_tenant: 1 }));
    const [request] = requests(1, { tenant_id });

    await expect(intake.within(request!, () => Promise.reject(new Error("not stored")))).rejects.toThrow("not stored");
    expect(await submitAll([intake], [request!])).toEqual(["stored"]);
  });
});

it("a run whose ticket NATS would refuse is refused before anything is stored", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "nats.conf");
  await writeFile(path, "max_payload: 2000\n");
  await using server = await startNats({ args: ["-c", path] });
  const bus = await connectBus({ url: server.url, name: "test", logger: deps.logger });
  const intake = createRunIntake({ ...deps, bus });
  const heavy = { ...newTraceContext(), baggage: `filler=${"x".repeat(2000)}` };
  const [small, large] = [aRunRequest({ tenant_id: newId() }), aRunRequest({ tenant_id: newId(), trace: heavy })];

  expect(await submitAll([intake], [small, large])).toEqual(["stored", "payload_too_large"]);

  expect(await deps.store.runs.get(large._id)).toBeUndefined();
  await bus.close();
});
