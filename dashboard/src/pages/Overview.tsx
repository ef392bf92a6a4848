import { useQuery } from "@tanstack/react-query";
import { Link, getRouteApi, useNavigate } from "@tanstack/react-router";
import { changesQuery, insightsQuery, overviewQuery, serverQuery, toolsQuery } from "@/api/queries";
import type { Change, ClientRow, Insight, Overview, Point, ToolReport } from "@/api/types";
import { OutcomeBar, OutcomeKey } from "@/charts/OutcomeBar";
import { OutcomeChart } from "@/charts/OutcomeChart";
import { count, duration, usd } from "@/lib/format";
import { useTitle } from "@/lib/hooks";
import { range } from "@/lib/time";
import { Filters } from "@/shell/Filters";
import { Live } from "@/shell/Live";
import { PageHead } from "@/shell/PageHead";
import { BarCell } from "@/ui/BarCell";
import { buttonClass } from "@/ui/Button";
import { CsvButton, DataTable, type Column } from "@/ui/DataTable";
import { FirstCallCell } from "@/ui/FirstCall";
import { Name } from "@/ui/Name";
import { Panel } from "@/ui/Panel";
import { QueryView, type Asked } from "@/ui/QueryView";
import { Empty } from "@/ui/states";
import { ChartPanel } from "@/ui/Views";
import { changeMarks } from "./changes/words";
import css from "./Overview.module.css";
import { DataConfidence } from "./overview/DataConfidence";
import { Headline } from "./overview/Headline";
import { Insights } from "./overview/Insights";
import { POINT_COLUMNS, pointKey } from "./overview/points";
import { clientsBehind, toolColumns } from "./tools/columns";

const route = getRouteApi("/s/$serverId");

const NO_POINTS: readonly Point[] = [];

/** Whether models understand the tools, and which one to fix first. */
export function OverviewPage() {
  const { serverId } = route.useParams();
  const search = route.useSearch();
  const server = useQuery(serverQuery(serverId));
  const overview = useQuery(overviewQuery(serverId, search));
  const tools = useQuery(toolsQuery(serverId, search));
  const insights = useQuery(insightsQuery(serverId, search));
  const changes = useQuery(changesQuery(serverId, search));
  useTitle("Overview", server.data?.name ?? "");

  if (overview.data && overview.data.confidence.newest_payload_ms == null) {
    return (
      <>
        <PageHead title={<Name>{server.data?.name ?? ""}</Name>} />
        <Empty title="Nothing has arrived yet">
          <p>Attach a producer to your MCP server, call a tool, and this page fills itself.</p>
          <p className={css.start}>
            <Link to="/s/$serverId/keys" params={{ serverId }} search={{}} className={buttonClass("primary")}>
              Install
            </Link>
          </p>
        </Empty>
      </>
    );
  }

  return (
    <>
      <PageHead
        title={<Name>{server.data?.name ?? ""}</Name>}
        note={overview.data && <Live report={overview.data} query={overview} />}
      >
        <Filters serverId={serverId} />
      </PageHead>
      <div className={css.headline}>
        <QueryView query={overview} what="the headline figures" lines={5}>
          {(found) => <Headline overview={found} />}
        </QueryView>
      </div>
      <div className={css.grid}>
        <Panel title="What to fix first">
          <QueryView query={insights} what="the insights" lines={5}>
            {(data) => <Insights serverId={serverId} insights={data.insights} />}
          </QueryView>
        </Panel>
        <Panel title="Data confidence">
          <QueryView query={overview} what="the data confidence" lines={5}>
            {(data) => <DataConfidence confidence={data.confidence} fetchedAt={overview.dataUpdatedAt} />}
          </QueryView>
        </Panel>
      </div>
      <div className={css.stack}>
        <OverTime query={overview} changes={changes.data?.changes ?? []} />
        <ToolsPanel serverId={serverId} query={tools} insights={insights.data?.insights ?? []} />
        <Clients query={overview} />
      </div>
    </>
  );
}

function OverTime({ query, changes }: { query: Asked<Overview>; changes: readonly Change[] }) {
  const { data } = query;
  return (
    <ChartPanel
      title="Calls over time"
      note={data && `${range(data.range.from_ms, data.range.to_ms)} · ok above the line, the rest below`}
      name="calls-over-time"
      columns={POINT_COLUMNS}
      rows={data?.series ?? NO_POINTS}
      rowKey={pointKey}
    >
      <QueryView query={query} what="calls over time" lines={8}>
        {(overview) => (
          <>
            <OutcomeKey slices={overview.figures.outcomes} />
            <OutcomeChart
              points={overview.series}
              marks={changeMarks(changes)}
              asOf={overview.settled_as_of_ms}
            />
          </>
        )}
      </QueryView>
    </ChartPanel>
  );
}

function ToolsPanel({
  serverId,
  query,
  insights,
}: {
  serverId: string;
  query: Asked<ToolReport>;
  insights: readonly Insight[];
}) {
  const { sort } = route.useSearch();
  const navigate = useNavigate();
  const rows = query.data?.tools ?? [];
  const columns = toolColumns(serverId, rows, query.data?.settled_as_of_ms, clientsBehind(insights));
  return (
    <Panel title="Tools" actions={<CsvButton name="tools" columns={columns} rows={rows} />}>
      <QueryView query={query} what="the tools" lines={8}>
        {(report) =>
          report.tools.length === 0 ? (
            <Empty title="No tool was called or registered in this range" />
          ) : (
            <DataTable
              caption="Tools"
              columns={columns}
              rows={report.tools}
              rowKey={(row) => row.tool}
              sort={sort}
              onSort={(next) =>
                void navigate({ to: ".", search: (old) => ({ ...old, sort: next }), replace: true })
              }
              first={25}
            />
          )
        }
      </QueryView>
    </Panel>
  );
}

function Clients({ query }: { query: Asked<Overview> }) {
  const rows = query.data?.clients ?? [];
  const asOf = query.data?.settled_as_of_ms;
  const most = Math.max(0, ...rows.map((row) => row.figures.calls));
  const columns: Column<ClientRow>[] = [
    {
      key: "client",
      header: "Client",
      cell: (row) => <Name short>{row.client}</Name>,
      csv: (row) => row.client,
      sort: (row) => row.client,
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
      cell: (row) => <FirstCallCell value={row.figures.first_call} />,
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
      key: "sessions",
      term: "sessions",
      end: true,
      cell: (row) => count(row.figures.sessions),
      csv: (row) => row.figures.sessions,
      sort: (row) => row.figures.sessions,
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
  return (
    <Panel title="Clients" actions={<CsvButton name="clients" columns={columns} rows={rows} />}>
      <QueryView query={query} what="the clients" lines={4}>
        {({ clients }) =>
          clients.length === 0 ? (
            <Empty title="No client called in this range" />
          ) : (
            <DataTable
              caption="Clients"
              columns={columns}
              rows={clients}
              rowKey={(row) => row.client}
              first={25}
            />
          )
        }
      </QueryView>
    </Panel>
  );
}
