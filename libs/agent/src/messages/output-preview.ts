import { headOf, tailOf } from "@antler/contracts";

export interface PreviewSize {
  readonly head: number;
  readonly tail: number;
}

/** Beginning and end of a long text with a line between them that says what is left out and where all of it is. */
export function outputPreview(text: string, { head, tail }: PreviewSize, whereabouts: string): string {
  const left = text.length - head - tail;
  const line = `... [${left} of ${text.length} characters left out${whereabouts}] ...`;
  return `${headOf(text, head)}\n${line}\n${tailOf(text, tail)}`;
}
