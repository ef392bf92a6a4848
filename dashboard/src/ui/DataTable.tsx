import { ArrowDown, ArrowUp, Download } from "lucide-react";
import { useMemo, useState, type ReactNode } from "react";
import { download, toCsv, type Cell } from "@/lib/csv";
import { Button } from "./Button";
import css from "./DataTable.module.css";
import { cx } from "./cx";
import { Term, termLabel, type TermName } from "./terms";

export interface Column<Row> {
  /** Also names the column in the address when sorted by. */
  key: string;
  /** Left out, the name of `term` stands there. */
  header?: string;
  /** The figure it shows: its header then explains itself. */
  term?: TermName;
  /** As of when, for figures of settled calls. */
  asOf?: number | undefined;
  /** Whether only screen readers are told the header. */
  bare?: boolean;
  /** What the table shows; a column without it is in the download only. */
  cell?: (row: Row) => ReactNode;
  /** What a download holds; a column without it is left out. */
  csv?: (row: Row) => Cell;
  /** What it is sorted by; a column without it cannot be sorted. */
  sort?: (row: Row) => number | string | null | undefined;
  /** Figures stand at the end. */
  end?: boolean;
  /** Takes what room is left. */
  wide?: boolean;
  /** Left out where the page is narrow; the download has it all the same. */
  roomy?: boolean;
}

interface Props<Row> {
  /** Says what the table holds, to screen readers. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** `calls` ascending, `-calls` descending; without it rows keep the order they came in. */
  sort?: string | undefined;
  onSort?: ((sort: string) => void) | undefined;
  /** Rows drawn at first; more come on demand, since thousands at once make a page slow. */
  first?: number;
  /** Rows come in while one looks: each shows for a moment that it is new. */
  arriving?: boolean;
}

export function DataTable<Row>({
  caption,
  columns,
  rows,
  rowKey,
  sort,
  onSort,
  first = 100,
  arriving = false,
}: Props<Row>) {
  const [all, setAll] = useState(false);
  const [own, setOwn] = useState<string | undefined>();
  const sorting = onSort ? sort : (own ?? sort);
  const change = onSort ?? setOwn;
  const sorted = useMemo(() => sortRows(rows, columns, sorting), [rows, columns, sorting]);
  const drawn = columns.filter((column) => column.cell);
  const shown = all ? sorted : sorted.slice(0, first);

  return (
    <>
      {/* A region that scrolls must be reachable by keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className={css.scroll} role="group" aria-label={caption} tabIndex={0}>
        <table className={cx(css.table, arriving && css.arriving)}>
          <caption className="visually-hidden">{caption}</caption>
          <thead>
            <tr>
              {drawn.map((column) => (
                <HeaderCell key={column.key} column={column} sorting={sorting} change={change} />
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr key={rowKey(row)}>
                {drawn.map((column, i) => {
                  const name = cx(column.end && css.end, column.wide && css.wide, column.roomy && css.roomy);
                  return i === 0 ? (
                    <th key={column.key} scope="row" className={name}>
                      {column.cell?.(row)}
                    </th>
                  ) : (
                    <td key={column.key} className={name}>
                      {column.cell?.(row)}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {sorted.length > shown.length && (
        <p className={css.more}>
          <Button
            small
            onClick={() => {
              setAll(true);
            }}
          >
            Show all {sorted.length}
          </Button>
        </p>
      )}
    </>
  );
}

function HeaderCell<Row>({
  column,
  sorting,
  change,
}: {
  column: Column<Row>;
  sorting: string | undefined;
  change: (sort: string) => void;
}) {
  const down = sorting === `-${column.key}`;
  const up = sorting === column.key;
  const name = cx(column.end && css.end, column.wide && css.wide, column.roomy && css.roomy);
  const text = column.header ?? (column.term ? termLabel(column.term) : "");
  const label = column.term ? <Term of={column.term} label={text} asOf={column.asOf} /> : text;
  if (!column.sort) {
    return (
      <th scope="col" className={name}>
        {column.bare ? <span className="visually-hidden">{text}</span> : label}
      </th>
    );
  }
  const arrow = (
    <span className={cx(css.arrow, !down && !up && css.idle)} aria-hidden="true">
      {up ? <ArrowUp size={12} /> : <ArrowDown size={12} />}
    </span>
  );
  const sort = (): void => {
    // Figures are first wanted from the top, names from the start.
    change(down ? column.key : up ? `-${column.key}` : column.end ? `-${column.key}` : column.key);
  };
  return (
    <th scope="col" className={name} aria-sort={down ? "descending" : up ? "ascending" : "none"}>
      {column.term ? (
        <span className={css.sort}>
          {label}
          <button type="button" className={css.sortButton} aria-label={`Sort by ${text}`} onClick={sort}>
            {arrow}
          </button>
        </span>
      ) : (
        <button type="button" className={cx(css.sort, css.sortButton)} onClick={sort}>
          {text}
          {arrow}
        </button>
      )}
    </th>
  );
}

/** Sorts by a column; what is unknown comes last either way, and equals keep their order. */
export function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sorting: string | undefined,
): readonly Row[] {
  if (!sorting) return rows;
  const sign = sorting.startsWith("-") ? -1 : 1;
  const by = columns.find((column) => column.key === sorting.replace(/^-/u, ""))?.sort;
  if (!by) return rows;
  return rows.toSorted((a, b) => {
    const [x, y] = [by(a), by(b)];
    if (x == null || y == null) return Number(x == null) - Number(y == null);
    if (typeof x === "string" || typeof y === "string") return sign * String(x).localeCompare(String(y));
    return sign * (x - y);
  });
}

/** Saves the table as CSV: every row, unrounded. */
export function CsvButton<Row>({
  name,
  columns,
  rows,
}: {
  name: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
}) {
  const kept = columns.filter((column) => column.csv);
  return (
    <Button
      small
      kind="quiet"
      disabled={rows.length === 0}
      onClick={() => {
        const header = kept.map((column) => column.key);
        const cells = rows.map((row) => kept.map((column) => column.csv?.(row)));
        download(`${name}.csv`, toCsv(header, cells));
      }}
    >
      <Download size={13} aria-hidden="true" /> CSV
    </Button>
  );
}
