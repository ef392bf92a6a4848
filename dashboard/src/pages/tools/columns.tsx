import { Link } from "@tanstack/react-router";
import type { Insight, ToolRow } from "@/api/types";
import { OutcomeBar } from "@/charts/OutcomeBar";
import { compact, count, duration, usd } from "@/lib/format";
import { BarCell } from "@/ui/BarCell";
import { ClientDots } from "@/ui/ClientDots";
import type { Column } from "@/ui/DataTable";
import { Name } from "@/ui/Name";
import css from "./columns.module.css";

const STATUS: Record<Exclude<ToolRow["status"], "called">, [string, string]> = {
  dead: ["never called", "Registered in the range and never called: every session pays to read it."],
  withheld: [
    "withheld",
    "Not called, but it asks for authorisation or an identity: perhaps nobody may see it.",
  ],
  absent: ["not in range", "Neither called nor registered in this range."],
  phantom: [
    "phantom",
    "Called, and no session ever registered it: models make it up, or its startups were lost.",
  ],
};

/** Which client insights find behind the others, by tool: the worst of them where there are several. */
export function clientsBehind(insights: readonly Insight[]): ReadonlyMap<string, string> {
  const found = insights.flatMap(({ kind, tool, client, value }) =>
    kind === "client_behind" && client != null ? [{ tool, client, value }] : [],
  );
  return new Map(found.toSorted((a, b) => b.value - a.value).map(({ tool, client }) => [tool, client]));
}

/** The columns that tables of tools share. */
export function toolColumns(
  serverId: string,
  rows: readonly ToolRow[],
  asOf: number | undefined,
  /** The client that is behind the others, by tool. */
  behind: ReadonlyMap<string, string>,
): Column<ToolRow>[] {
  const most = Math.max(0, ...rows.map((row) => row.figures.calls));
  return [
    {
      key: "tool",
      header: "Tool",
      cell: (row) => (
        <span className={css.tool}>
          <Link to="/s/$serverId/tools/$tool" params={{ serverId, tool: row.tool }} search={(old) => old}>
            <Name short mono>
              {row.tool}
            </Name>
          </Link>
          {row.status !== "called" && (
            <span
              className={css.status}
              title={
                row.schema_cost_usd == null
                  ? STATUS[row.status][1]
                  : `${STATUS[row.status][1]} Listing it cost ${usd(row.schema_cost_usd)}.`
              }
            >
              {STATUS[row.status][0]}
              {row.schema_cost_usd != null && row.status !== "phantom" && (
                <span className={css.price}>, {usd(row.schema_cost_usd)}</span>
              )}
            </span>
          )}
        </span>
      ),
      csv: (row) => row.tool,
      sort: (row) => row.tool,
    },
    {
      key: "calls",
      term: "calls",
      end: true,
      cell: (row) => (
        <BarCell value={row.figures.calls} most={most}>
          {count(row.figures.calls)}
        </BarCell>
      ),
      csv: (row) => row.figures.calls,
      sort: (row) => row.figures.calls,
    },
    {
      key: "first_call_success",
      term: "first_call",
      asOf: asOf,
      cell: (row) => (
        <ClientDots value={row.figures.first_call} clients={row.clients} behind={behind.get(row.tool)} />
      ),
      csv: (row) => row.figures.first_call.first_call_success,
      sort: (row) => row.figures.first_call.first_call_success,
    },
    {
      key: "outcomes",
      term: "outcomes",
      wide: true,
      cell: (row) => <OutcomeBar slices={row.figures.outcomes} />,
    },
    {
      key: "p95_ms",
      header: "p95",
      term: "p95",
      end: true,
      cell: (row) => duration(row.figures.latency.p95_ms),
      csv: (row) => row.figures.latency.p95_ms,
      sort: (row) => row.figures.latency.p95_ms,
    },
    {
      key: "mean_units",
      term: "response",
      end: true,
      cell: (row) => compact(row.figures.response.mean_units),
      csv: (row) => row.figures.response.mean_units,
      sort: (row) => row.figures.response.mean_units,
    },
    {
      key: "cost_usd",
      term: "cost",
      end: true,
      cell: (row) => usd(row.figures.response.cost_usd),
      csv: (row) => row.figures.response.cost_usd,
      sort: (row) => row.figures.response.cost_usd,
    },
  ];
}
