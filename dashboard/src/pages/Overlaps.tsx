import { useQuery } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import { overlapsQuery, serverQuery } from "@/api/queries";
import type { Overlap } from "@/api/types";
import { count } from "@/lib/format";
import { useTitle } from "@/lib/hooks";
import { full, iso, moment } from "@/lib/time";
import { Filters } from "@/shell/Filters";
import { PageHead } from "@/shell/PageHead";
import { CsvButton, DataTable, type Column } from "@/ui/DataTable";
import { Name } from "@/ui/Name";
import { Panel } from "@/ui/Panel";
import { QueryView } from "@/ui/QueryView";
import { Empty } from "@/ui/states";

const route = getRouteApi("/s/$serverId");

/** Tools whose descriptions say the same. */
export function OverlapsPage() {
  const { serverId } = route.useParams();
  const search = route.useSearch();
  const server = useQuery(serverQuery(serverId));
  const overlaps = useQuery(overlapsQuery(serverId, search));
  useTitle("Overlaps", server.data?.name ?? "");
  const columns: Column<Overlap>[] = [
    {
      key: "tools",
      header: "Tools that read the same",
      wide: true,
      cell: (row) =>
        row.tools.map((tool, i) => (
          <span key={tool}>
            {i > 0 && ", "}
            <Link to="/s/$serverId/tools/$tool" params={{ serverId, tool }} search={(old) => old}>
              <Name mono>{tool}</Name>
            </Link>
          </span>
        )),
      csv: (row) => row.tools.join(" "),
    },
    {
      key: "surfaces",
      header: "Lists of tools",
      end: true,
      cell: (row) => count(row.surfaces),
      csv: (row) => row.surfaces,
      sort: (row) => row.surfaces,
    },
    {
      key: "last_seen",
      header: "Last sent",
      cell: (row) => <span title={full(row.last_seen_ms)}>{moment(row.last_seen_ms)}</span>,
      csv: (row) => iso(row.last_seen_ms),
      sort: (row) => row.last_seen_ms,
    },
    {
      key: "description_norm",
      header: "Wording, hash",
      cell: (row) => <code>{row.description_norm}</code>,
      csv: (row) => row.description_norm,
    },
  ];
  return (
    <>
      <PageHead title="Overlaps">
        <Filters serverId={serverId} only="range" />
      </PageHead>
      <QueryView query={overlaps} what="the overlaps" lines={5}>
        {({ overlaps: rows }) => (
          <Panel
            title="Descriptions that say the same"
            note="Once words are brought to their stems and put in order. A model cannot choose between such tools."
            actions={<CsvButton name="overlaps" columns={columns} rows={rows} />}
          >
            {rows.length === 0 ? (
              <Empty title="Every description says something of its own" />
            ) : (
              <DataTable
                caption="Overlaps"
                columns={columns}
                rows={rows}
                rowKey={(row) => row.description_norm}
              />
            )}
          </Panel>
        )}
      </QueryView>
    </>
  );
}
