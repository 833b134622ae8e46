import { ADMINISTRATION } from "./administration.ts";
import { AGGREGATION } from "./aggregation.ts";
import { ARRAY_UPDATES } from "./array-updates.ts";
import { BULK_WRITES } from "./bulk-writes.ts";
import type { CheckGroup } from "./check.ts";
import { CONCURRENCY } from "./concurrency.ts";
import { FIND_AND_MODIFY } from "./find-and-modify.ts";
import { INDEXES } from "./indexes.ts";
import { INSERTS } from "./inserts.ts";
import { OPTIONAL_FEATURES } from "./optional-features.ts";
import { QUERIES } from "./queries.ts";
import { SESSIONS } from "./sessions.ts";
import { TYPES } from "./types.ts";
import { UPDATE_PIPELINES } from "./update-pipelines.ts";
import { UPDATES } from "./updates.ts";

/** All compatibility checks. */
export const ALL_GROUPS: readonly CheckGroup[] = [
  INSERTS,
  TYPES,
  QUERIES,
  INDEXES,
  UPDATES,
  ARRAY_UPDATES,
  UPDATE_PIPELINES,
  FIND_AND_MODIFY,
  BULK_WRITES,
  CONCURRENCY,
  AGGREGATION,
  ADMINISTRATION,
  SESSIONS,
  OPTIONAL_FEATURES,
];
