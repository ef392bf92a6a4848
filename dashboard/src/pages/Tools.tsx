import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { insightsQuery, serverQuery, toolsQuery } from "@/api/queries";
import type { ToolReport, ToolRow } from "@/api/types";
import { compact, count, percent, usd } from "@/lib/format";
import { useTitle } from "@/lib/hooks";
import { Filters } from "@/shell/Filters";
import { Live } from "@/shell/Live";
import { PageHead } from "@/shell/PageHead";
import { CsvButton, DataTable, type Column } from "@/ui/DataTable";
import { Panel } from "@/ui/Panel";
import { QueryView } from "@/ui/QueryView";
import { Empty } from "@/ui/states";
import { clientsBehind, toolColumns } from "./tools/columns";

const route = getRouteApi("/s/$serverId");

/** Every tool that was called or registered. */
export function ToolsPage() {
  const { serverId } = route.useParams();
  const search = route.useSearch();
  const server = useQuery(serverQuery(serverId));
  const tools = useQuery(toolsQuery(serverId, search));
  const insights = useQuery(insightsQuery(serverId, search));
  const behind = clientsBehind(insights.data?.insights ?? []);
  useTitle("Tools", server.data?.name ?? "");
  return (
    <>
      <PageHead title="Tools" note={tools.data && <Live report={tools.data} query={tools} />}>
        <Filters serverId={serverId} />
      </PageHead>
      <QueryView query={tools} what="the tools" lines={8}>
        {(report) => <ToolTable serverId={serverId} report={report} behind={behind} />}
      </QueryView>
    </>
  );
}

function ToolTable({
  serverId,
  report,
  behind,
}: {
  serverId: string;
  report: ToolReport;
  behind: ReadonlyMap<string, string>;
}) {
  const { sort } = route.useSearch();
  const navigate = useNavigate();
  const columns: Column<ToolRow>[] = [
    ...toolColumns(serverId, report.tools, report.settled_as_of_ms, behind),
    {
      key: "error_rate",
      term: "error_rate",
      asOf: report.settled_as_of_ms,
      end: true,
      cell: (row) => percent(row.figures.error_rate),
      csv: (row) => row.figures.error_rate,
      sort: (row) => row.figures.error_rate,
    },
    {
      key: "schema_cost_usd",
      term: "schema",
      end: true,
      cell: (row) => (
        <span
          title={
            row.schema_tokens == null
              ? "not registered"
              : `${count(row.schema_tokens)} tokens × ${count(row.sessions_registered)} sessions`
          }
        >
          {usd(row.schema_cost_usd)}
        </span>
      ),
      csv: (row) => row.schema_cost_usd,
      sort: (row) => row.schema_cost_usd,
    },
  ];
  return (
    <Panel
      title="Called or registered"
      note={
        report.surface_tools != null &&
        `${count(report.surface_tools)} tools listed: ${compact(report.surface_units)} units, about ${compact(report.surface_tokens)} tokens that every session reads first`
      }
      actions={<CsvButton name="tools" columns={columns} rows={report.tools} />}
    >
      {report.tools.length === 0 ? (
        <Empty title="No tool was called or registered in this range">Choose a longer range.</Empty>
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
        />
      )}
    </Panel>
  );
}
