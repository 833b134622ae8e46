interface Count {
  readonly files: number;
  readonly lines: number;
}

/** What the counting subagent wrote. */
export interface SurveyCounts extends Count {
  readonly languages: Readonly<Record<string, Count>>;
}

/** Finds the counts in a text, such as a tool's result; undefined when it holds none. */
export function findCounts(text: string): SurveyCounts | undefined {
  const json = /\{"files".*\}/.exec(text)?.[0];
  if (json === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(json);
    return isCounts(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isCounts(value: unknown): value is SurveyCounts {
  if (!isCount(value) || !("languages" in value)) return false;
  const { languages } = value;
  return typeof languages === "object" && languages !== null && Object.values(languages).every(isCount);
}

function isCount(value: unknown): value is Count {
  if (typeof value !== "object" || value === null) return false;
  return "files" in value && Number.isInteger(value.files) && "lines" in value && Number.isInteger(value.lines);
}

/** `37 files with 111 lines`. */
export function countInWords({ files, lines }: Count): string {
  return `${files} ${files === 1 ? "file" : "files"} with ${lines} ${lines === 1 ? "line" : "lines"}`;
}

/** `Python 37 files with 111 lines, TypeScript 11 files with 55 lines`. */
export function languagesInWords({ languages }: SurveyCounts): string {
  return byLines(languages)
    .map(([name, count]) => `${name} ${countInWords(count)}`)
    .join(", ");
}

/** A Markdown table of the languages, most lines first, with the total last. */
export function countsTable(counts: SurveyCounts): string {
  const rows = byLines(counts.languages).map(([name, { files, lines }]) => `| ${name} | ${files} | ${lines} |`);
  const total = `| **Total** | **${counts.files}** | **${counts.lines}** |`;
  return ["| Language | Files | Lines |", "| --- | ---: | ---: |", ...rows, total].join("\n");
}

function byLines(languages: SurveyCounts["languages"]): readonly (readonly [string, Count])[] {
  return Object.entries(languages).toSorted(([, one], [, other]) => other.lines - one.lines);
}
