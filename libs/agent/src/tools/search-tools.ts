import type { DeferredTool } from "./deferred-catalog.ts";
import { normalToolName } from "./tool-policy.ts";

/** Most tools that a search finds; `select:` is not bounded by it. */
const MAX_RESULTS = 5;

/** Words of a query that are looked at. */
const MAX_WORDS = 32;

const SELECT = "select:";

/**
 * The tools that a model's query finds.
 *
 * - `select:a,b`: those of exactly these names, all of them
 * - `+word rest`: those in which the word occurs, the best matches of the rest first, at most 5
 * - anything else: the best matches of its words, at most 5
 *
 * Words are compared as plain text, never as a pattern: signs between them only separate.
 */
export function searchTools(tools: readonly DeferredTool[], query: string): DeferredTool[] {
  const text = query.trim();
  if (text.startsWith(SELECT)) return selected(tools, text.slice(SELECT.length));
  if (!text.startsWith("+")) return best(tools, wordsOf(text));
  const [required = "", ...rest] = text.slice(1).trimStart().split(/\s+/u);
  const must = wordsOf(required);
  if (must.length === 0) return [];
  const having = tools.filter((tool) => must.every((word) => scoreOf(tool, word) > 0));
  const wanted = wordsOf(rest.join(" "));
  return wanted.length === 0 ? best(having, must) : ranked(having, wanted).slice(0, MAX_RESULTS);
}

function selected(tools: readonly DeferredTool[], list: string): DeferredTool[] {
  const names = new Set(list.split(",").map(normalToolName));
  return tools.filter(({ name }) => names.has(name));
}

function wordsOf(text: string): string[] {
  const words = text.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  return [...new Set(words.filter((word) => word !== ""))].slice(0, MAX_WORDS);
}

function best(tools: readonly DeferredTool[], words: readonly string[]): DeferredTool[] {
  return ranked(tools, words)
    .filter((tool) => totalOf(tool, words) > 0)
    .slice(0, MAX_RESULTS);
}

/** Highest score first; the catalog's order among equals. */
function ranked(tools: readonly DeferredTool[], words: readonly string[]): DeferredTool[] {
  return [...tools].sort((a, b) => totalOf(b, words) - totalOf(a, words));
}

function totalOf(tool: DeferredTool, words: readonly string[]): number {
  return words.reduce((sum, word) => sum + scoreOf(tool, word), 0);
}

function scoreOf({ name, description }: DeferredTool, word: string): number {
  const lower = name.toLowerCase();
  if (wordsOf(lower).includes(word)) return 3;
  if (lower.includes(word)) return 2;
  return description.toLowerCase().includes(word) ? 1 : 0;
}
