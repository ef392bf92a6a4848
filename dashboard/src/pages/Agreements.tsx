import { useQuery } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import { agreementsQuery, serverQuery } from "@/api/queries";
import type { AgreementRow } from "@/api/types";
import { count, percent } from "@/lib/format";
import { useTitle } from "@/lib/hooks";
import { full, iso, moment } from "@/lib/time";
import { Filters } from "@/shell/Filters";
import { PageHead } from "@/shell/PageHead";
import { CsvButton, DataTable, type Column } from "@/ui/DataTable";
import { ShareBar } from "@/ui/BarCell";
import { Name } from "@/ui/Name";
import { Panel } from "@/ui/Panel";
import { QueryView } from "@/ui/QueryView";
import { Empty } from "@/ui/states";

const route = getRouteApi("/s/$serverId");

/** Whether tools agree about the fields that the owner declared. */
export function AgreementsPage() {
  const { serverId } = route.useParams();
  const search = route.useSearch();
  const server = useQuery(serverQuery(serverId));
  const agreements = useQuery(agreementsQuery(serverId, search));
  useTitle("Agreements", server.data?.name ?? "");
  const columns = agreementColumns(serverId);
  return (
    <>
      <PageHead title="Agreements">
        <Filters serverId={serverId} />
      </PageHead>
      <QueryView query={agreements} what="the agreements" lines={5}>
        {({ agreements: rows }) => (
          <Panel
            title="Declared fields, pair by pair"
            note="Compared inside the producer: values never leave it, not even as hashes."
            actions={<CsvButton name="agreements" columns={columns} rows={rows} />}
          >
            {rows.length === 0 ? (
              <Empty title="No agreement is declared">
                Two tools that report the same thing should say the same. The producer’s option{" "}
                <code>agreements</code> names a field and where each tool has it; verdicts then show up here.
              </Empty>
            ) : (
              <DataTable
                caption="Agreements"
                columns={columns}
                rows={rows}
                rowKey={(row) => `${row.field}\n${row.tool_a}\n${row.tool_b}`}
              />
            )}
          </Panel>
        )}
      </QueryView>
    </>
  );
}

function agreementColumns(serverId: string): Column<AgreementRow>[] {
  const tool = (name: string) => (
    <Link to="/s/$serverId/tools/$tool" params={{ serverId, tool: name }} search={(old) => old}>
      <Name short mono>
        {name}
      </Name>
    </Link>
  );
  return [
    {
      key: "field",
      header: "Field",
      cell: (r) => (
        <Name short mono>
          {r.field}
        </Name>
      ),
      csv: (r) => r.field,
      sort: (r) => r.field,
    },
    {
      key: "tool_a",
      header: "Tool",
      cell: (r) => tool(r.tool_a),
      csv: (r) => r.tool_a,
      sort: (r) => r.tool_a,
    },
    {
      key: "tool_b",
      header: "and tool",
      cell: (r) => tool(r.tool_b),
      csv: (r) => r.tool_b,
      sort: (r) => r.tool_b,
    },
    {
      key: "agreed_share",
      term: "agreed",
      wide: true,
      cell: (r) =>
        r.agreed_share == null ? (
          "never compared"
        ) : (
          <ShareBar share={r.agreed_share}>{percent(r.agreed_share)}</ShareBar>
        ),
      csv: (r) => r.agreed_share,
      sort: (r) => r.agreed_share,
    },
    {
      key: "checked",
      term: "verdicts",
      end: true,
      cell: (r) => count(r.checked),
      csv: (r) => r.checked,
      sort: (r) => r.checked,
    },
    {
      key: "last_disagreement",
      header: "Last disagreement",
      cell: (r) =>
        r.last_disagreement_ms == null ? (
          "none"
        ) : (
          <span title={full(r.last_disagreement_ms)}>{moment(r.last_disagreement_ms)}</span>
        ),
      csv: (r) => (r.last_disagreement_ms == null ? null : iso(r.last_disagreement_ms)),
      sort: (r) => r.last_disagreement_ms,
    },
  ];
}
