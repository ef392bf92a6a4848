import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { changesQuery, serverQuery } from "@/api/queries";
import type { ChangeReport, SurfaceSummary } from "@/api/types";
import { count } from "@/lib/format";
import { useTitle } from "@/lib/hooks";
import { iso, moment } from "@/lib/time";
import { Filters } from "@/shell/Filters";
import { PageHead } from "@/shell/PageHead";
import { CsvButton, DataTable, type Column } from "@/ui/DataTable";
import { Panel } from "@/ui/Panel";
import { QueryView } from "@/ui/QueryView";
import { Empty } from "@/ui/states";
import { ChangeItem, COMPARISONS, comparisons } from "./changes/ChangeItem";
import forms from "./forms.module.css";

const route = getRouteApi("/s/$serverId");

const SURFACES: readonly Column<SurfaceSummary>[] = [
  {
    key: "surface_id",
    header: "Surface",
    cell: (s) => `#${String(s.surface_id)}`,
    csv: (s) => s.surface_id,
    sort: (s) => s.surface_id,
  },
  {
    key: "tools",
    header: "Tools",
    end: true,
    cell: (s) => count(s.tools),
    csv: (s) => s.tools,
    sort: (s) => s.tools,
  },
  {
    key: "schema_units",
    header: "Size, units",
    end: true,
    cell: (s) => count(s.schema_units),
    csv: (s) => s.schema_units,
    sort: (s) => s.schema_units,
  },
  {
    key: "sessions",
    header: "Sessions",
    end: true,
    cell: (s) => count(s.sessions),
    csv: (s) => s.sessions,
    sort: (s) => s.sessions,
  },
  {
    key: "first_seen",
    header: "First seen",
    cell: (s) => moment(s.first_seen_ms),
    csv: (s) => iso(s.first_seen_ms),
    sort: (s) => s.first_seen_ms,
  },
  {
    key: "last_seen",
    header: "Last seen",
    cell: (s) => moment(s.last_seen_ms),
    csv: (s) => iso(s.last_seen_ms),
    sort: (s) => s.last_seen_ms,
  },
];

/** What changed, and whether it helped. */
export function ChangesPage() {
  const { serverId } = route.useParams();
  const search = route.useSearch();
  const server = useQuery(serverQuery(serverId));
  const changes = useQuery(changesQuery(serverId, search));
  useTitle("Changes", server.data?.name ?? "");
  return (
    <>
      <PageHead title="Changes">
        <Filters serverId={serverId} />
      </PageHead>
      <QueryView query={changes} what="the changes" lines={8}>
        {(report) => <Report serverId={serverId} report={report} />}
      </QueryView>
    </>
  );
}

function Report({ serverId, report }: { serverId: string; report: ChangeReport }) {
  return (
    <div className={forms.stack}>
      <Panel
        title="What changed"
        note="Before and after are told apart by the tools each session had, not by date; intervals are 99%."
        actions={<CsvButton name="comparisons" columns={COMPARISONS} rows={comparisons(report.changes)} />}
      >
        {report.changes.length === 0 ? (
          <Empty title="Nothing changed in this range">
            A change is the first appearance of a list of tools, or of a producer version.
          </Empty>
        ) : (
          <ul>
            {report.changes.map((change) => (
              <ChangeItem key={`${String(change.seq)}${change.kind}`} serverId={serverId} change={change} />
            ))}
          </ul>
        )}
        {report.truncated && (
          <p className={forms.text}>
            There were more: the newest {count(report.changes.length)} are shown. A shorter range shows the
            others.
          </p>
        )}
      </Panel>
      <Panel
        title="Lists of tools in use"
        actions={<CsvButton name="surfaces" columns={SURFACES} rows={report.surfaces} />}
      >
        {report.surfaces.length === 0 ? (
          <Empty title="No session said which tools it has in this range" />
        ) : (
          <DataTable
            caption="Lists of tools in use"
            columns={SURFACES}
            rows={report.surfaces}
            rowKey={(s) => String(s.surface_id)}
          />
        )}
      </Panel>
    </div>
  );
}
