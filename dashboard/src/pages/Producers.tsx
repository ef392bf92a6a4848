import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { producersQuery, serverQuery } from "@/api/queries";
import type { ProducerRow } from "@/api/types";
import { OutcomeBar } from "@/charts/OutcomeBar";
import { count, percent } from "@/lib/format";
import { useTitle } from "@/lib/hooks";
import { full, iso, moment } from "@/lib/time";
import { Filters } from "@/shell/Filters";
import { PageHead } from "@/shell/PageHead";
import { BarCell } from "@/ui/BarCell";
import { CsvButton, DataTable, type Column } from "@/ui/DataTable";
import { FirstCallCell } from "@/ui/FirstCall";
import { Name } from "@/ui/Name";
import { Panel } from "@/ui/Panel";
import { QueryView } from "@/ui/QueryView";
import { Empty } from "@/ui/states";
import css from "./Producers.module.css";

const route = getRouteApi("/s/$serverId");

/** What sends, and how: the way errors reach a model depends on it. */
export function ProducersPage() {
  const { serverId } = route.useParams();
  const search = route.useSearch();
  const server = useQuery(serverQuery(serverId));
  const producers = useQuery(producersQuery(serverId, search));
  useTitle("Producers", server.data?.name ?? "");
  return (
    <>
      <PageHead title="Producers">
        <Filters serverId={serverId} />
      </PageHead>
      <QueryView query={producers} what="the producers" lines={5}>
        {({ producers: rows, settled_as_of_ms: asOf }) => {
          const columns = producerColumns(rows, asOf);
          return (
            <Panel
              title="By SDK, MCP SDK, protocol and transport"
              actions={<CsvButton name="producers" columns={columns} rows={rows} />}
            >
              {rows.length === 0 ? (
                <Empty title="Nothing was called in this range" />
              ) : (
                <DataTable
                  caption="Producers"
                  columns={columns}
                  rows={rows}
                  rowKey={(r) => [r.sdk, r.mcp_sdk_version, r.protocol_version, r.transport].join("\n")}
                />
              )}
            </Panel>
          );
        }}
      </QueryView>
    </>
  );
}

function name(value: string | null | undefined) {
  return value == null ? "unknown" : <Name short>{value}</Name>;
}

function producerColumns(rows: readonly ProducerRow[], asOf: number): Column<ProducerRow>[] {
  const most = Math.max(0, ...rows.map((row) => row.figures.calls));
  return [
    {
      key: "sdk",
      header: "SDK",
      cell: (r) => (
        <>
          {r.sdk == null && r.mcp_sdk_version == null && r.protocol_version == null ? (
            <>
              not said
              <span className={css.with}>no startup of these sessions says what sent them</span>
            </>
          ) : (
            <>
              {name(r.sdk)}
              <span className={css.with}>
                MCP SDK {name(r.mcp_sdk_version)} · protocol {name(r.protocol_version)} · {name(r.transport)}
              </span>
            </>
          )}
        </>
      ),
      csv: (r) => r.sdk,
      sort: (r) => r.sdk,
    },
    { key: "mcp_sdk", csv: (r) => r.mcp_sdk_version },
    { key: "protocol", csv: (r) => r.protocol_version },
    { key: "transport", csv: (r) => r.transport },
    {
      key: "calls",
      term: "calls",
      end: true,
      cell: (r) => (
        <BarCell value={r.figures.calls} most={most}>
          {count(r.figures.calls)}
        </BarCell>
      ),
      csv: (r) => r.figures.calls,
      sort: (r) => r.figures.calls,
    },
    {
      key: "sessions",
      term: "sessions",
      end: true,
      cell: (r) => count(r.figures.sessions),
      csv: (r) => r.figures.sessions,
      sort: (r) => r.figures.sessions,
    },
    {
      key: "outcomes",
      term: "outcomes",
      wide: true,
      cell: (r) => <OutcomeBar slices={r.figures.outcomes} />,
    },
    {
      key: "first_call_success",
      term: "first_call",
      asOf: asOf,
      cell: (r) => <FirstCallCell value={r.figures.first_call} />,
      csv: (r) => r.figures.first_call.first_call_success,
      sort: (r) => r.figures.first_call.first_call_success,
    },
    {
      key: "known_client",
      term: "known_client",
      end: true,
      cell: (r) => percent(r.confidence.known_client_share),
      csv: (r) => r.confidence.known_client_share,
    },
    {
      key: "crowded",
      term: "crowded",
      end: true,
      cell: (r) => percent(r.confidence.crowded_share),
      csv: (r) => r.confidence.crowded_share,
    },
    {
      key: "newest_call",
      header: "Newest call",
      cell: (r) =>
        r.confidence.newest_call_ms == null ? (
          "none"
        ) : (
          <span title={full(r.confidence.newest_call_ms)}>{moment(r.confidence.newest_call_ms)}</span>
        ),
      csv: (r) => (r.confidence.newest_call_ms == null ? null : iso(r.confidence.newest_call_ms)),
      sort: (r) => r.confidence.newest_call_ms,
    },
  ];
}
