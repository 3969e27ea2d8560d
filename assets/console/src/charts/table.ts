// The values of a chart as rows, for people and for other programs.

export type Cell = string | number | null;

export interface Table {
  columns: readonly { label: string; kind?: "number" | "percent" | "seconds" }[];
  rows: readonly (readonly Cell[])[];
}

/**
 * Returns a table as CSV (RFC 4180). A value that a spreadsheet would evaluate as a formula is
 * prefixed with an apostrophe, because names and properties come from untrusted clients.
 */
export function csvOf(table: Table): string {
  const lines = [table.columns.map(({ label, kind }) => (kind === "seconds" ? `${label} (s)` : label)), ...table.rows];
  return `${lines.map((line) => line.map(csvCell).join(",")).join("\r\n")}\r\n`;
}

function csvCell(value: Cell): string {
  if (value === null) {
    return "";
  }
  if (typeof value === "number") {
    return String(value);
  }
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
