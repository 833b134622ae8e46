import { setTimeout as wait } from "node:timers/promises";

import type { Db } from "mongodb";
import { MongoClient } from "mongodb";

import type { Check, CheckContext, CheckDocument, CheckGroup } from "./check.ts";

/** One failed check. */
export interface Failure {
  readonly name: string;
  readonly error: unknown;
}

/** What came out of a run of checks. */
export interface Outcome {
  readonly passed: number;
  readonly failures: readonly Failure[];
}

const CHECK_TIMEOUT_MS = 90_000;

/** Runs all checks, one after the other, against the server at `url`, in a database of their own. */
export async function runChecks(url: string, groups: readonly CheckGroup[]): Promise<Outcome> {
  const client = await new MongoClient(url, { serverSelectionTimeoutMS: 10_000 }).connect();
  const db = client.db(`compatibility_${String(process.pid)}`);
  const failures: Failure[] = [];
  let passed = 0;
  try {
    for (const [name, check] of groups.flatMap(namedChecks)) {
      const error = await runCheck(check, createContext(url, client, db, passed + failures.length));
      if (error === undefined) passed++;
      else failures.push({ name, error });
    }
  } finally {
    await db.dropDatabase();
    await client.close();
  }
  return { passed, failures };
}

function namedChecks(group: CheckGroup): [string, Check][] {
  return Object.entries(group.checks).map(([name, check]) => [`${group.name}: ${name}`, check]);
}

function createContext(url: string, client: MongoClient, db: Db, number: number): CheckContext {
  const c = db.collection<CheckDocument>(`c${String(number)}`);
  return { url, client, db, c, other: db.collection<CheckDocument>(`o${String(number)}`) };
}

async function runCheck(check: Check, context: CheckContext): Promise<unknown> {
  const deadline = new AbortController();
  try {
    await Promise.race([check(context), timeout(deadline.signal)]);
    return undefined;
  } catch (error) {
    return error ?? new Error("The check failed without an error");
  } finally {
    deadline.abort();
    await context.c.drop().catch(() => undefined);
    await context.other.drop().catch(() => undefined);
  }
}

async function timeout(signal: AbortSignal): Promise<never> {
  await wait(CHECK_TIMEOUT_MS, undefined, { signal });
  throw new Error(`The check did not end within ${String(CHECK_TIMEOUT_MS)} ms`);
}
