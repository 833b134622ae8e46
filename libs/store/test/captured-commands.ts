import { type Db, type Document, MongoClient } from "mongodb";

/** A client that keeps every command with which documents are looked for. */
export interface CommandRecorder {
  readonly client: MongoClient;
  readonly commands: readonly Document[];
}

/** Commands that look for documents, with the fields that decide how. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  find: ["filter", "sort", "limit", "skip"],
  aggregate: ["pipeline"],
  findAndModify: ["query", "sort", "update", "upsert", "new"],
  update: ["updates"],
  delete: ["deletes"],
};

export async function recordCommands(url: string): Promise<CommandRecorder> {
  const client = new MongoClient(url, { monitorCommands: true });
  const commands: Document[] = [];
  client.on("commandStarted", ({ commandName, command }) => {
    if (FIELDS[commandName] !== undefined) commands.push(command);
  });
  await client.connect();
  return { client, commands };
}

export interface CommandPlan {
  readonly collection: string;
  readonly command: string;
  /** Names of all stages of the plan that the server would choose. */
  readonly stages: readonly string[];
  /** Whether the server keeps no more documents than this while it sorts. */
  readonly limit: number | undefined;
}

/** What the server would do for a command; an update or delete of several parts has several plans. */
export async function plansOf(db: Db, recorded: Document): Promise<CommandPlan[]> {
  const name = Object.keys(FIELDS).find((field) => field in recorded) ?? "";
  const collection = String(recorded[name]);
  return Promise.all(
    partsOf(recorded, name).map(async (part) => {
      const explained = await db.command({ explain: part, verbosity: "queryPlanner" });
      const stages = stagesIn(explained);
      return { collection, command: JSON.stringify(part), stages, limit: part["limit"] as number | undefined };
    }),
  );
}

function partsOf(recorded: Document, name: string): Document[] {
  const fields = (FIELDS[name] ?? []).filter((field) => recorded[field] !== undefined);
  const command = {
    [name]: recorded[name] as unknown,
    ...Object.fromEntries(fields.map((f) => [f, recorded[f] as unknown])),
  };
  if (name === "aggregate") return [{ ...command, cursor: {} }];
  const [list] = fields;
  if ((name !== "update" && name !== "delete") || list === undefined) return [command];
  return (recorded[list] as Document[]).map((part) => ({ ...command, [list]: [part] }));
}

function stagesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(stagesIn);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    key === "stage" ? [String(part)] : key === "rejectedPlans" || key === "command" ? [] : stagesIn(part),
  );
}
