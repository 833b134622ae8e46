/** A fenced block of a page. */
export interface Example {
  readonly language: string;
  readonly code: string;
}

/** The fenced blocks below the heading `## title`, up to the next heading of that depth. */
export function readExamples(page: string, title: string): Example[] {
  const section = page.split(/^## /m).find((part) => part.startsWith(`${title}\n`)) ?? "";
  return [...section.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = "", code = ""]) => ({
    language,
    code,
  }));
}

/** The commands that a page tells to type as `npm start`, `npm test` or `npm run NAME`. */
export function readCommands(page: string): string[] {
  return [...page.matchAll(/npm (?:run ([\w:-]+)|(start|test))\b/g)].map(([, script, name]) => script ?? name ?? "");
}
