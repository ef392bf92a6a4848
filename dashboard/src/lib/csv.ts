/** Writing a table as CSV (RFC 4180), and offering it as a download. */

export type Cell = string | number | boolean | null | undefined;

/** A text that a spreadsheet would run as a formula; names come from strangers. */
const FORMULA = /^[=+\-@\t\r]/u;

function field(value: Cell): string {
  if (value == null) return "";
  if (typeof value !== "string") return String(value);
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/u.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** One line per row, ended by CRLF, the header first. */
export function toCsv(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [header, ...rows].map((row) => `${row.map(field).join(",")}\r\n`).join("");
}

/** Lets the browser save `text` under `name`. */
export function download(name: string, text: string, type = "text/csv;charset=utf-8"): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads the blob after the click has returned.
  setTimeout(() => {
    URL.revokeObjectURL(url);
  }, 10_000);
}
