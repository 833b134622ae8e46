import { AntlerError, LEAD_POOL } from "@antler/contracts";
import { inFlight } from "@antler/store";

import type { DeliveryDeps } from "./delivery-deps.ts";
import { assertRoom } from "./queue-room.ts";
import { firstTicketOf, type RunRequest } from "./submit-run.ts";

/** Lets runs in while there is room for them. */
export interface RunIntake {
  /**
   * Carries out `store`, which is to insert the run, if there is room for it.
   *
   * Both limits hold exactly among what one intake lets in: runs that are being stored count as if they were there,
   * which may refuse a run a moment too early. Several processes may together go beyond by what they store at once.
   * @throws queue_full, tenant_limit_reached or payload_too_large, before anything is stored.
   */
  within<T>(request: Placed, store: () => Promise<T>): Promise<T>;
}

type Placed = Pick<RunRequest, "_id" | "tenant_id" | "lane" | "trace" | "idempotency">;

/** Requests that are being stored, each with its end. */
type Storing = Map<Placed, Promise<undefined>>;

export function createRunIntake(deps: DeliveryDeps): RunIntake {
  const storing: Storing = new Map();
  return {
    async within(request, store) {
      deps.bus.expectFits(firstTicketOf(request), request.trace);
      await sameRequestStored(storing, request);
      const before = [...storing.keys()];
      const { promise: end, resolve } = Promise.withResolvers<undefined>();
      storing.set(request, end);
      try {
        await assertLimits(deps, request, before);
        return await store();
      } finally {
        storing.delete(request);
        resolve(undefined);
      }
    },
  };
}

/** A request that is sent several times at once takes one place: the others wait for what becomes of the first. */
async function sameRequestStored(storing: Storing, { idempotency }: Placed): Promise<void> {
  if (idempotency === undefined) return;
  const same = () => [...storing].find(([other]) => other.idempotency === idempotency)?.[1];
  for (let end = same(); end !== undefined; end = same()) await end;
}

async function assertLimits(deps: DeliveryDeps, { tenant_id, lane }: Placed, before: readonly Placed[]): Promise<void> {
  const coming = before.filter((other) => other.lane === lane).length;
  const ofTenant = before.filter((other) => other.tenant_id === tenant_id).length;
  await Promise.all([assertRoom(deps, { pool: LEAD_POOL, lane, coming }), assertTenantRoom(deps, tenant_id, ofTenant)]);
}

async function assertTenantRoom({ store, config }: DeliveryDeps, tenantId: string, coming: number): Promise<void> {
  const max = config.delivery.max_in_flight_per_tenant;
  if ((await store.runs.count(inFlight(tenantId), max)) + coming < max) return;
  const message = `${max} runs have not ended yet, as many as delivery.max_in_flight_per_tenant allows`;
  const details = { limit: "delivery.max_in_flight_per_tenant", retry_after: 2 };
  throw new AntlerError("tenant_limit_reached", message, { details });
}
