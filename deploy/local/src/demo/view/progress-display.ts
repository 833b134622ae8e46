import type { BoardRow } from "./task-board.ts";

/** Shows how the tasks of a run go on. */
export interface ProgressDisplay {
  show(rows: readonly BoardRow[], nowMs: number): void;
}

export interface Terminal {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** On a terminal the lines are redrawn in place; elsewhere a line is added whenever a task changes. */
export function createProgressDisplay(output: Terminal): ProgressDisplay {
  return output.isTTY === true ? redrawing(output) : appending(output);
}

function redrawing(output: Terminal): ProgressDisplay {
  let drawn = 0;
  return {
    show(rows, nowMs) {
      const width = widthOf(output);
      const lines = rows.map((row) => `${lineOf(row, nowMs).slice(0, width - 1)}\n`);
      const back = drawn === 0 ? "" : `\u001B[${drawn}A\u001B[J`;
      output.write(`${back}${lines.join("")}`);
      drawn = lines.length;
    },
  };
}

/** A terminal that does not know its width says 0. */
function widthOf({ columns = 0 }: Terminal): number {
  return columns > 0 ? columns : 120;
}

function appending(output: Terminal): ProgressDisplay {
  const told = new Map<string, string>();
  return {
    show(rows, nowMs) {
      for (const row of rows) {
        const news = `${row.state} ${row.steps}`;
        if (told.get(row.callId) === news) continue;
        told.set(row.callId, news);
        output.write(`${lineOf(row, nowMs)}\n`);
      }
    },
  };
}

function lineOf(row: BoardRow, nowMs: number): string {
  const { type, description, state, steps, startedAtMs, endedAtMs } = row;
  const elapsed = startedAtMs === undefined ? "" : `${(((endedAtMs ?? nowMs) - startedAtMs) / 1000).toFixed(1)} s`;
  const told = [type.padEnd(16), description.padEnd(24), state.padEnd(10), elapsed.padStart(7)];
  return `  ${told.join("  ")}  ${steps} ${steps === 1 ? "step" : "steps"}`;
}
