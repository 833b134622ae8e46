interface Fault {
  readonly path: string;
  readonly message: string;
}

interface Issue {
  readonly keyword: string;
  readonly instancePath: string;
  readonly message?: string | undefined;
  readonly params: Readonly<Record<string, unknown>>;
}

const PREFIX: Readonly<Record<string, string>> = { querystring: "query", params: "path", headers: "headers" };

/** Each fault of a refused request with its path: a body's fields by their name, others behind `query.` or `path.`. */
export function faultsOf(issues: readonly Issue[], context: string): readonly Fault[] {
  return issues.flatMap((issue) => faultsOfIssue(issue, PREFIX[context]));
}

function faultsOfIssue({ keyword, instancePath, message, params }: Issue, prefix: string | undefined): Fault[] {
  const path = [...(prefix === undefined ? [] : [prefix]), ...instancePath.split("/").filter(Boolean)];
  const keys = keyword === "unrecognized_keys" && Array.isArray(params["keys"]) ? params["keys"] : undefined;
  if (keys === undefined) return [{ path: path.join("."), message: message ?? "is not valid" }];
  return keys.map((key) => ({ path: [...path, String(key)].join("."), message: "is not a known field" }));
}
