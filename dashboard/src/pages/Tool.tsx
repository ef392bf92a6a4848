import { useQuery } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import { serverQuery, toolQuery } from "@/api/queries";
import type { ClientOfTool, HistogramBin, Pair, Point, ToolDetail } from "@/api/types";
import { Fitted } from "@/charts/Fitted";
import { Histogram, binText, type Mark } from "@/charts/Histogram";
import { OutcomeKey } from "@/charts/OutcomeBar";
import { OutcomeChart } from "@/charts/OutcomeChart";
import { Sparkline } from "@/charts/Sparkline";
import { compact, count, duration, percent, plural, shortCount, usd } from "@/lib/format";
import { useTitle } from "@/lib/hooks";
import { Filters } from "@/shell/Filters";
import { Live } from "@/shell/Live";
import { PageHead } from "@/shell/PageHead";
import { BarCell } from "@/ui/BarCell";
import { CsvButton, DataTable, type Column } from "@/ui/DataTable";
import { Before, Figure, Figures } from "@/ui/Figure";
import { FirstCallCell, FirstCallFigure } from "@/ui/FirstCall";
import { Name } from "@/ui/Name";
import { Panel } from "@/ui/Panel";
import { QueryView } from "@/ui/QueryView";
import { Empty } from "@/ui/states";
import { Term } from "@/ui/terms";
import { ChartPanel } from "@/ui/Views";
import { ChangeItem } from "./changes/ChangeItem";
import { changeMarks } from "./changes/words";
import { POINT_COLUMNS, pointKey, trend } from "./overview/points";
import css from "./Tool.module.css";
import { CameTo } from "./tool/CameTo";
import { Mode } from "./tool/Mode";

const route = getRouteApi("/s/$serverId/tools/$tool");

/** One tool in full. */
export function ToolPage() {
  const { serverId, tool } = route.useParams();
  const search = route.useSearch();
  const server = useQuery(serverQuery(serverId));
  const detail = useQuery(toolQuery(serverId, tool, search));
  useTitle(tool, server.data?.name ?? "");
  return (
    <>
      <PageHead
        title={
          <>
            <Link to="/s/$serverId/tools" params={{ serverId }} search={(old) => old} className={css.up}>
              Tools
            </Link>{" "}
            <span className={css.up}>/</span> <Name mono>{tool}</Name>
          </>
        }
        note={detail.data && <Live report={detail.data} query={detail} />}
      >
        <Filters serverId={serverId} />
        {detail.data && <Mode serverId={serverId} tool={tool} mode={detail.data.row.mode} />}
      </PageHead>
      <QueryView query={detail} what="this tool" lines={8}>
        {(data) => <Detail serverId={serverId} detail={data} />}
      </QueryView>
    </>
  );
}

function Detail({ serverId, detail }: { serverId: string; detail: ToolDetail }) {
  const { row } = detail;
  return (
    <div className={css.stack}>
      <Headline detail={detail} />
      <Panel title="What its calls came to">
        <CameTo value={row.figures.first_call} />
      </Panel>
      <Clients rows={row.clients} asOf={detail.settled_as_of_ms} />
      <div className={css.pair}>
        <ChartPanel
          title="Calls over time"
          name="tool-over-time"
          columns={POINT_COLUMNS}
          rows={detail.series}
          rowKey={pointKey}
        >
          <OutcomeKey slices={row.figures.outcomes} />
          <OutcomeChart
            points={detail.series}
            marks={changeMarks(detail.changes)}
            asOf={detail.settled_as_of_ms}
            height={190}
          />
        </ChartPanel>
        <Latency detail={detail} />
      </div>
      <div className={css.pair}>
        <Pairs
          serverId={serverId}
          title="Called before it"
          name="pairs-in"
          pairs={detail.pairs_in}
          side="from"
        />
        <Pairs
          serverId={serverId}
          title="Called after it"
          name="pairs-out"
          pairs={detail.pairs_out}
          side="to"
        />
      </div>
      <Panel title="Changes of this tool">
        {detail.changes.length === 0 ? (
          <Empty title="Neither its schema nor its wording changed in this range" />
        ) : (
          <ul>
            {detail.changes.map((change) => (
              <ChangeItem
                key={`${String(change.seq)}${change.kind}`}
                serverId={serverId}
                change={change}
                only={row.tool}
              />
            ))}
          </ul>
        )}
      </Panel>
    </div>
  );
}

function spark(over: ReturnType<typeof trend>) {
  return <Fitted most={320}>{(width) => <Sparkline {...over} width={width} height={36} />}</Fitted>;
}

function Headline({ detail }: { detail: ToolDetail }) {
  const { row, before, series, settled_as_of_ms: asOf } = detail;
  const { figures } = row;
  const first = figures.first_call;
  const over = (pick: (point: Point) => number | null | undefined) => trend(series, asOf, pick);
  return (
    <Figures led>
      <FirstCallFigure
        first={first}
        before={before.first_call}
        series={series}
        asOf={asOf}
        calls={figures.calls}
      />
      <Figure
        id="calls"
        name={<Term of="calls" asOf={asOf} />}
        value={shortCount(figures.calls)}
        before={<Before now={figures.calls} before={before.calls} write={shortCount} />}
        chart={spark(over((point) => point.calls))}
        detail={`in ${plural(figures.sessions, "session")} · ${percent(figures.error_rate)} errors · ${percent(figures.empty_rate)} empty`}
      />
      <Figure
        id="p95"
        name={<Term of="p95" asOf={asOf} />}
        value={duration(figures.latency.p95_ms)}
        before={
          <Before
            now={figures.latency.p95_ms}
            before={before.latency.p95_ms}
            write={duration}
            better="down"
          />
        }
        chart={spark(over((point) => point.p95_ms))}
        detail={`median ${duration(figures.latency.p50_ms)} · p99 ${duration(figures.latency.p99_ms)}`}
      />
      <Figure
        id="answer"
        name={<Term of="response" asOf={asOf} />}
        value={compact(figures.response.mean_units)}
        before={
          <Before
            now={figures.response.mean_units}
            before={before.response.mean_units}
            write={compact}
            better="down"
          />
        }
        chart={spark(over((point) => point.cost_usd))}
        detail={
          <>
            units, largest {compact(figures.response.max_units)}; drawn:{" "}
            <Term of="cost" label="all answers" />, {usd(figures.response.cost_usd)};{" "}
            <Term of="schema" label="listing" /> {usd(row.schema_cost_usd)}
          </>
        }
      />
    </Figures>
  );
}

const BINS: readonly Column<HistogramBin>[] = [
  { key: "from_ms", header: "Duration", cell: binText, csv: (bin) => bin.from_ms },
  { key: "calls", header: "Calls", end: true, cell: (bin) => count(bin.calls), csv: (bin) => bin.calls },
];

function Latency({ detail }: { detail: ToolDetail }) {
  const { p50_ms, p90_ms, p95_ms, p99_ms } = detail.row.figures.latency;
  const marks = [
    { label: "p50", ms: p50_ms },
    { label: "p90", ms: p90_ms },
    { label: "p95", ms: p95_ms },
    { label: "p99", ms: p99_ms },
  ].filter((mark): mark is Mark => mark.ms != null);
  return (
    <ChartPanel
      title="How long it takes"
      name="tool-durations"
      columns={BINS}
      rows={detail.latency_histogram}
      rowKey={(bin) => String(bin.from_ms)}
    >
      {marks.length === 0 ? (
        <Empty title="It was not called in this range" />
      ) : (
        <Histogram bins={detail.latency_histogram} marks={marks} />
      )}
    </ChartPanel>
  );
}

function Clients({ rows, asOf }: { rows: ClientOfTool[]; asOf: number }) {
  const most = Math.max(0, ...rows.map((row) => row.calls));
  const columns: Column<ClientOfTool>[] = [
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
        <BarCell value={row.calls} most={most}>
          {count(row.calls)}
        </BarCell>
      ),
      csv: (row) => row.calls,
      sort: (row) => row.calls,
    },
    {
      key: "first_call_success",
      term: "first_call",
      asOf: asOf,
      wide: true,
      cell: (row) => <FirstCallCell value={row.first_call} wide />,
      csv: (row) => row.first_call.first_call_success,
      sort: (row) => row.first_call.first_call_success,
    },
    {
      key: "strict",
      term: "strict",
      asOf: asOf,
      end: true,
      cell: (row) => percent(row.first_call.strict),
      csv: (row) => row.first_call.strict,
      sort: (row) => row.first_call.strict,
    },
    {
      key: "error_rate",
      term: "error_rate",
      asOf: asOf,
      end: true,
      cell: (row) => percent(row.error_rate),
      csv: (row) => row.error_rate,
      sort: (row) => row.error_rate,
    },
    {
      key: "empty_rate",
      term: "empty_rate",
      asOf: asOf,
      end: true,
      cell: (row) => percent(row.empty_rate),
      csv: (row) => row.empty_rate,
      sort: (row) => row.empty_rate,
    },
    {
      key: "p95_ms",
      header: "p95",
      term: "p95",
      end: true,
      cell: (row) => duration(row.p95_ms),
      csv: (row) => row.p95_ms,
      sort: (row) => row.p95_ms,
    },
  ];
  return (
    <Panel
      title="Clients side by side"
      actions={<CsvButton name="tool-clients" columns={columns} rows={rows} />}
    >
      {rows.length === 0 ? (
        <Empty title="No client called it in this range" />
      ) : (
        <DataTable
          caption="Clients side by side"
          columns={columns}
          rows={rows}
          rowKey={(row) => row.client}
        />
      )}
    </Panel>
  );
}

function Pairs({
  serverId,
  title,
  name,
  pairs,
  side,
}: {
  serverId: string;
  title: string;
  name: string;
  pairs: Pair[];
  side: "from" | "to";
}) {
  const most = Math.max(0, ...pairs.map((pair) => pair.count));
  const columns: Column<Pair>[] = [
    {
      key: "tool",
      header: "Tool",
      wide: true,
      cell: (pair) => (
        <Link to="/s/$serverId/tools/$tool" params={{ serverId, tool: pair[side] }} search={(old) => old}>
          <Name short mono>
            {pair[side]}
          </Name>
        </Link>
      ),
      csv: (pair) => pair[side],
    },
    {
      key: "count",
      term: "pair_times",
      end: true,
      cell: (pair) => (
        <BarCell value={pair.count} most={most}>
          {count(pair.count)}
        </BarCell>
      ),
      csv: (pair) => pair.count,
    },
    {
      key: "share",
      term: "pair_share",
      header: side === "from" ? "of its calls" : "of this tool’s calls",
      end: true,
      cell: (pair) => <span title={`of ${count(pair.from_calls)} settled calls`}>{percent(pair.share)}</span>,
      csv: (pair) => pair.share,
    },
  ];
  return (
    <Panel title={title} actions={<CsvButton name={name} columns={columns} rows={pairs} />}>
      {pairs.length === 0 ? (
        <Empty title="Nothing, in this range" />
      ) : (
        <DataTable caption={title} columns={columns} rows={pairs} rowKey={(pair) => pair[side]} />
      )}
    </Panel>
  );
}
