import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** What a right survey of the workspace says. */
export const expectedCounts = {
  files: 48,
  lines: 166,
  languages: { Python: { files: 37, lines: 111 }, TypeScript: { files: 11, lines: 55 } },
} as const;

/** Writes 37 Python files of 3 lines and 11 TypeScript files of 5, some with a blank or an accent in their names. */
export function writeSurveyWorkspace(folder: string): void {
  for (let index = 0; index < 37; index += 1) {
    writeLines(join(folder, "python", `${decorate("module", index)}.py`), 3);
  }
  for (let index = 0; index < 11; index += 1) {
    writeLines(join(folder, "web files", `${decorate("page", index)}.ts`), 5);
  }
}

function decorate(stem: string, index: number): string {
  if (index % 5 === 1) return `${stem} ${index}`;
  if (index % 5 === 2) return `${stem}-é-${index}`;
  return `${stem}-${index}`;
}

function writeLines(path: string, count: number): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, Array.from({ length: count }, (_, line) => `value_${line} = ${line}\n`).join(""));
}
