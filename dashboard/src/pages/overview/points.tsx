import type { Point } from "@/api/types";
import { OUTCOME, OUTCOMES } from "@/charts/outcomes";
import { count, duration, usd } from "@/lib/format";
import { iso, stretch } from "@/lib/time";
import type { Column } from "@/ui/DataTable";

/** A series as a table. */
export const POINT_COLUMNS: readonly Column<Point>[] = [
  {
    key: "start",
    header: "From",
    cell: (p) => stretch(p.start_ms, p.end_ms),
    csv: (p) => iso(p.start_ms),
    sort: (p) => p.start_ms,
  },
  {
    key: "calls",
    header: "Calls",
    end: true,
    cell: (p) => count(p.calls),
    csv: (p) => p.calls,
    sort: (p) => p.calls,
  },
  ...OUTCOMES.map((key): Column<Point> => ({
    key,
    header: OUTCOME[key].label,
    end: true,
    cell: (p) => count(p.outcomes[key]),
    csv: (p) => p.outcomes[key],
    sort: (p) => p.outcomes[key],
  })),
  { key: "p95_ms", header: "p95", end: true, cell: (p) => duration(p.p95_ms), csv: (p) => p.p95_ms },
  {
    key: "cost_usd",
    header: "Response cost",
    end: true,
    cell: (p) => usd(p.cost_usd),
    csv: (p) => p.cost_usd,
  },
];

/** A figure over time for a sparkline: what has not begun is left blank, what is not over yet is said to be open. */
export function trend(
  points: readonly Point[],
  asOf: number,
  pick: (point: Point) => number | null | undefined,
): { values: (number | null)[]; openFrom: number } {
  const open = points.findIndex((point) => asOf < point.end_ms);
  const openFrom = open < 0 ? points.length : open;
  return { values: points.map((point, i) => (i > openFrom ? null : (pick(point) ?? null))), openFrom };
}

export const pointKey = (point: Point): string => String(point.start_ms);
