import { describe, expect, it } from "vitest";

import { durableName, durablesOf, LANES, parseConfig, STREAMS, subjects, ticketSubject } from "../src/index.ts";

const models = [{ name: "m", provider: "openai", model: "m" }];

function durables(pools: Record<string, unknown> = {}) {
  return durablesOf(parseConfig({ models, pools }, {}).pools, 15_000);
}

function matches(pattern: string, subject: string): boolean {
  const words = subject.split(".");
  const tokens = pattern.split(".");
  return tokens.length === words.length && tokens.every((token, index) => token === "*" || token === words[index]);
}

describe("subjects", () => {
  it.each([
    ["lead", "interactive", "runs.interactive"],
    ["checker", "batch", "checks.batch"],
    ["general", "interactive", "tasks.general.interactive"],
    ["reports-2", "batch", "tasks.reports-2.batch"],
  ] as const)("put tickets of pool %s, lane %s on %s", (pool, lane, subject) => {
    expect(ticketSubject(pool, lane)).toBe(subject);
  });

  it("name the signals of a run, a task and a batch", () => {
    expect([
      subjects.events("r1"),
      subjects.live("r1"),
      subjects.cancel("r1"),
      subjects.settled("task", "t1"),
      subjects.batch("b1"),
    ]).toEqual(["events.r1", "live.r1", "ctl.cancel.r1", "ctl.settled.task.t1", "ctl.batch.b1"]);
    expect(matches(subjects.cancelAll, subjects.cancel("r1"))).toBe(true);
  });
});

describe("topology", () => {
  it("has one durable for each pool and lane", () => {
    const names = ["lead", "checker", "general", "bash", "gpu"].flatMap((pool) =>
      LANES.map((lane) => durableName(pool, lane)),
    );

    expect(durables({ gpu: {} }).map(({ name }) => name)).toEqual(names);
  });

  it("takes the lane's concurrency as the durable's max_ack_pending", () => {
    const pools = { bash: { concurrency: { interactive: 2 } } };
    const pending = durables(pools).map(({ name, maxAckPending }) => [name, maxAckPending]);

    expect(Object.fromEntries(pending)).toMatchObject({ bash_interactive: 2, bash_batch: 8, lead_interactive: 8 });
  });

  it("has filters that are disjoint and lie in their own stream alone", () => {
    const all = durables({ gpu: {} });

    expect(new Set(all.map(({ filterSubject }) => filterSubject)).size).toBe(all.length);
    for (const { stream, filterSubject } of all) {
      const owners = STREAMS.filter((spec) => spec.subjects.some((subject) => matches(subject, filterSubject)));
      expect(owners.map(({ name }) => name)).toEqual([stream]);
    }
  });

  it("keeps messages a day and forgets message ids after two minutes", () => {
    for (const stream of STREAMS) {
      expect(stream).toMatchObject({ maxAgeMs: 86_400_000, maxBytes: 1_073_741_824, duplicateWindowMs: 120_000 });
    }
  });

  it("gives durables and streams names that nats-server accepts", () => {
    for (const name of [...durables().map((durable) => durable.name), ...STREAMS.map((stream) => stream.name)]) {
      expect(name).toMatch(/^[A-Za-z0-9_-]+$/);
    }
  });
});
