/** A table of plain text; every column is as wide as its widest cell. */
export function textTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  return [header, ...rows].map((row) => lineOf(row, widths)).join("\n");
}

function lineOf(row: readonly string[], widths: readonly number[]): string {
  return `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")}`.trimEnd();
}
