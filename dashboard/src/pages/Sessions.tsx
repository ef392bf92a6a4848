import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import { serverQuery, sessionsQuery } from "@/api/queries";
import type { SessionRow } from "@/api/types";
import { OutcomeBar } from "@/charts/OutcomeBar";
import { compact, count, plural, usd } from "@/lib/format";
import { useTitle } from "@/lib/hooks";
import { full, iso, moment } from "@/lib/time";
import { Filters } from "@/shell/Filters";
import { PageHead } from "@/shell/PageHead";
import { Button } from "@/ui/Button";
import { CsvButton, DataTable, type Column } from "@/ui/DataTable";
import { Count } from "@/ui/Count";
import { Name } from "@/ui/Name";
import { Panel } from "@/ui/Panel";
import { QueryView } from "@/ui/QueryView";
import { Empty } from "@/ui/states";
import css from "./Sessions.module.css";
import { ExportMenu } from "./sessions/ExportMenu";

const route = getRouteApi("/s/$serverId");

/** Sessions with a matching call, newest first. */
export function SessionsPage() {
  const { serverId } = route.useParams();
  const search = route.useSearch();
  const server = useQuery(serverQuery(serverId));
  const sessions = useInfiniteQuery(sessionsQuery(serverId, search));
  useTitle("Sessions", server.data?.name ?? "");
  return (
    <>
      <PageHead title="Sessions">
        <Filters serverId={serverId} />
      </PageHead>
      <QueryView query={sessions} what="the sessions" lines={8}>
        {({ pages }) => {
          const rows = pages.flatMap((page) => page.sessions);
          const total = pages[0]?.total ?? 0;
          const columns = sessionColumns(serverId);
          return (
            <Panel
              title={plural(total, "session")}
              anchor="sessions"
              note={rows.length < total && `the newest ${count(rows.length)} are shown`}
              actions={
                <>
                  <ExportMenu serverId={serverId} filters={search} />
                  <CsvButton name="sessions" columns={columns} rows={rows} />
                </>
              }
            >
              {rows.length === 0 ? (
                <Empty title="No session has a matching call in this range" />
              ) : (
                <DataTable
                  caption="Sessions"
                  columns={columns}
                  rows={rows}
                  rowKey={(row) => row.session_id}
                  first={1000}
                />
              )}
              {sessions.hasNextPage && (
                <p className={css.more}>
                  <Button busy={sessions.isFetchingNextPage} onClick={() => void sessions.fetchNextPage()}>
                    Show more
                  </Button>
                </p>
              )}
            </Panel>
          );
        }}
      </QueryView>
    </>
  );
}

function sessionColumns(serverId: string): Column<SessionRow>[] {
  return [
    {
      key: "session_id",
      header: "Session",
      cell: (row) => (
        <Link
          to="/s/$serverId/sessions/$sessionId"
          params={{ serverId, sessionId: row.session_id }}
          search={(old) => old}
        >
          <Name short mono>
            {row.session_id}
          </Name>
        </Link>
      ),
      csv: (row) => row.session_id,
    },
    {
      key: "first_call",
      header: "Began",
      cell: (row) => <span title={full(row.first_call_ms)}>{moment(row.first_call_ms)}</span>,
      csv: (row) => iso(row.first_call_ms),
    },
    {
      key: "clients",
      header: "Clients",
      cell: (row) => (
        <span className={css.clients}>
          <Name short>{row.clients.join(", ")}</Name>
          {row.crowded && (
            <span
              className={css.crowded}
              title="Busier than one conversation can be: several share this session."
            >
              crowded
            </span>
          )}
        </span>
      ),
      csv: (row) => row.clients.join(" "),
    },
    {
      key: "calls",
      term: "calls",
      end: true,
      cell: (row) => count(row.calls),
      csv: (row) => row.calls,
    },
    {
      key: "outcomes",
      term: "outcomes",
      wide: true,
      cell: (row) => <OutcomeBar slices={row.outcomes} />,
    },
    { key: "tools", term: "tools_used", end: true, cell: (row) => count(row.tools), csv: (row) => row.tools },
    {
      key: "retried",
      term: "retried",
      end: true,
      cell: (row) => <Count of={row.retried_calls} />,
      csv: (row) => row.retried_calls,
    },
    {
      key: "followed",
      term: "followed",
      end: true,
      cell: (row) => <Count of={row.followed_calls} />,
      csv: (row) => row.followed_calls,
    },
    {
      key: "response_units",
      term: "response_units",
      end: true,
      cell: (row) => compact(row.response_units),
      csv: (row) => row.response_units,
    },
    {
      key: "cost_usd",
      term: "cost",
      end: true,
      cell: (row) => usd(row.cost_usd),
      csv: (row) => row.cost_usd,
    },
  ];
}
