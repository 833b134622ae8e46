/** One simple command of a command line: its words without quotes. */
export type SimpleCommand = readonly string[];

const SEPARATORS = new Set([";", "&", "|", "\n", "(", ")", "`"]);

/**
 * The simple commands of a shell command line, those of pipes, lists and command substitutions included. Quotes and
 * escapes are taken off; the bodies of here-documents are data and left out. It reads as much of the shell's grammar as
 * an audit needs, and never fails: what it does not know stays a word.
 */
export function splitCommands(line: string): SimpleCommand[] {
  const text = withoutHereDocuments(line);
  const words = createWords();
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] ?? "";
    if (sign === "'" || sign === '"') at = takeQuoted(text, at, words);
    else if (sign === "\\") words.add(text[(at += 1)] ?? "");
    else if (separates(text, at)) words.endCommand();
    else if (/\s/.test(sign)) words.endWord();
    else words.add(sign);
  }
  return words.commands();
}

function separates(text: string, at: number): boolean {
  return SEPARATORS.has(text[at] ?? "") || text.startsWith("$(", at);
}

/** Takes what stands in quotes, and from double quotes the commands in it. Returns where the quote closes. */
function takeQuoted(text: string, start: number, words: Words): number {
  const end = closing(text, start);
  const inner = text.slice(start + 1, end);
  words.add(inner);
  if (text[start] === '"') words.take(substitutions(inner).flatMap(splitCommands));
  return end;
}

/** The words and commands that were read so far. */
interface Words {
  add(part: string): void;
  endWord(): void;
  endCommand(): void;
  take(commands: readonly SimpleCommand[]): void;
  commands(): SimpleCommand[];
}

function createWords(): Words {
  const inner: SimpleCommand[] = [];
  const outer: string[][] = [[]];
  let word: string | null = null;
  const endWord = () => {
    if (word !== null) outer.at(-1)?.push(word);
    word = null;
  };
  return {
    add(part) {
      word = (word ?? "") + part;
    },
    endWord,
    endCommand() {
      endWord();
      outer.push([]);
    },
    take: (commands) => void inner.push(...commands),
    commands() {
      endWord();
      return [...inner, ...outer].filter((command) => command.length > 0);
    },
  };
}

/** Where the quote that opens at `start` closes; the end of the text when it never does. */
function closing(text: string, start: number): number {
  const quote = text[start];
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === "\\" && quote === '"') at += 1;
    else if (text[at] === quote) return at;
  }
  return text.length;
}

/** What stands in `$( )` or backticks within double quotes. */
function substitutions(text: string): string[] {
  return [...text.matchAll(/\$\(([^()]*)\)|`([^`]*)`/g)].map(([, dollar, tick]) => dollar ?? tick ?? "");
}

/** `<<` that is not `<<<`, with the word that ends the document. */
const HERE_DOCUMENT = /(?<!<)<<-?(?!<)\s*(["']?)([A-Za-z_][A-Za-z0-9_]*)\1/g;

/** Programs that run what they are given on their input. */
const RUNS_INPUT = /(?:^|[\s;&|(/])(?:ba|z|da|k)?sh\b[^|]*<</;

/** The line without the bodies that are data: those that end, and that no shell is given to run. */
function withoutHereDocuments(line: string): string {
  const rows = line.split("\n");
  const kept: string[] = [];
  for (let at = 0; at < rows.length; at += 1) {
    const row = rows[at] ?? "";
    kept.push(row);
    if (RUNS_INPUT.test(row)) continue;
    for (const [, , name = ""] of row.matchAll(HERE_DOCUMENT)) {
      const end = rows.findIndex((other, index) => index > at && other.trim() === name);
      if (end !== -1) at = end;
    }
  }
  return kept.join("\n");
}
