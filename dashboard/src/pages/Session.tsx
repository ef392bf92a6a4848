import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { serverQuery, sessionQuery } from "@/api/queries";
import type { SessionTape, TapeCall } from "@/api/types";
import { OUTCOME, OUTCOMES } from "@/charts/outcomes";
import { Tape } from "@/charts/Tape";
import { count, duration, plural } from "@/lib/format";
import { useTitle } from "@/lib/hooks";
import { clockMs, full } from "@/lib/time";
import { PageHead } from "@/shell/PageHead";
import { Button } from "@/ui/Button";
import { Copy } from "@/ui/Copy";
import { CsvButton, DataTable } from "@/ui/DataTable";
import { Name } from "@/ui/Name";
import { Panel } from "@/ui/Panel";
import { QueryView } from "@/ui/QueryView";
import { Empty } from "@/ui/states";
import css from "./Session.module.css";
import { OutcomeWord, behindText, callColumns, linkText } from "./session/calls";

const route = getRouteApi("/s/$serverId/sessions/$sessionId");

/** One session, call by call. */
export function SessionPage() {
  const { serverId, sessionId } = route.useParams();
  const server = useQuery(serverQuery(serverId));
  const session = useInfiniteQuery(sessionQuery(serverId, sessionId));
  useTitle(sessionId, server.data?.name ?? "");
  return (
    <>
      <PageHead
        title={
          <>
            <Link to="/s/$serverId/sessions" params={{ serverId }} search={(old) => old} className={css.up}>
              Sessions
            </Link>{" "}
            <span className={css.up}>/</span> <Name mono>{sessionId}</Name>
          </>
        }
        note={<Copy text={() => window.location.href} label="Copy link" />}
      />
      <QueryView query={session} what="this session" lines={8}>
        {({ pages }) => {
          const [tape] = pages;
          if (!tape) return null;
          const calls = pages.flatMap((page) => page.calls);
          return (
            <>
              <Facts tape={tape} />
              <Calls
                serverId={serverId}
                calls={calls}
                total={tape.total_calls}
                more={
                  session.hasNextPage && (
                    <Button busy={session.isFetchingNextPage} onClick={() => void session.fetchNextPage()}>
                      Show the next thousand
                    </Button>
                  )
                }
              />
            </>
          );
        }}
      </QueryView>
    </>
  );
}

function Facts({ tape }: { tape: SessionTape }) {
  const [startup] = tape.startups;
  return (
    <dl className={css.facts}>
      <div>
        <dt>Calls</dt>
        <dd>{count(tape.total_calls)}</dd>
      </div>
      <div>
        <dt>First call</dt>
        <dd>{tape.first_call_ms == null ? "none" : full(tape.first_call_ms)}</dd>
      </div>
      <div>
        <dt>Last call</dt>
        <dd>{tape.last_call_ms == null ? "none" : full(tape.last_call_ms)}</dd>
      </div>
      <div>
        <dt>Producer</dt>
        <dd>
          {startup ? (
            <>
              <Name>{startup.sdk ?? "unknown"}</Name>
              {startup.mcp_sdk_version != null && (
                <>
                  , MCP SDK <Name>{startup.mcp_sdk_version}</Name>
                </>
              )}
              {startup.transport != null && `, ${startup.transport}`}
              {startup.protocol_version != null && (
                <>
                  , protocol <Name>{startup.protocol_version}</Name>
                </>
              )}
            </>
          ) : (
            "no startup arrived"
          )}
        </dd>
      </div>
      <div>
        <dt>List of tools</dt>
        <dd>
          {startup ? `${plural(startup.tools, "tool")}, ${count(startup.schema_units)} units` : "unknown"}
        </dd>
      </div>
    </dl>
  );
}

function Calls({
  serverId,
  calls,
  total,
  more,
}: {
  serverId: string;
  calls: readonly TapeCall[];
  total: number;
  more: React.ReactNode;
}) {
  const [pointed, setPointed] = useState<TapeCall | null>(null);
  const columns = callColumns(serverId);
  if (calls.length === 0) {
    return <Empty title="This session made no call">It only said which tools it has.</Empty>;
  }
  return (
    <div className={css.stack}>
      <Panel
        title="Tape"
        note="Time runs to the right and is compressed: what lasts longer is wider, but not in proportion."
        actions={more}
      >
        <Key />
        <Tape calls={calls} onPoint={setPointed} />
        <p className={css.pointed} aria-live="polite">
          {pointed ? (
            <>
              <b>{clockMs(pointed.started_ms)}</b> <Name mono>{pointed.tool}</Name>{" "}
              <OutcomeWord call={pointed} /> {duration(pointed.duration_ms)}, {count(pointed.response_units)}{" "}
              units, arguments <code>{pointed.args_hash}</code>
              {[linkText(pointed), behindText(pointed)].filter(Boolean).map((text) => ` · ${text}`)}
            </>
          ) : (
            "Point at a call to read it, go along the tape with the arrow keys, or see the table below."
          )}
        </p>
      </Panel>
      <Panel
        title={plural(total, "call")}
        anchor="calls"
        note={calls.length < total && `the first ${count(calls.length)} are shown`}
        actions={<CsvButton name="session" columns={columns} rows={calls} />}
      >
        <DataTable
          caption="Calls of this session"
          columns={columns}
          rows={calls}
          rowKey={(call) => String(call.seq)}
        />
      </Panel>
    </div>
  );
}

function Key() {
  return (
    <ul className={css.key} aria-label="Key">
      {OUTCOMES.map((key) => (
        <li key={key}>
          <i style={{ background: OUTCOME[key].colour }} /> {OUTCOME[key].label}
        </li>
      ))}
      <li>
        <i className={css.hollow} /> repeat: the same arguments again
      </li>
      <li>
        <svg width="22" height="10" aria-hidden="true">
          <path d="M1 9C4 0 18 0 21 9" className={css.retry} />
        </svg>
        retry
      </li>
      <li>
        <svg width="22" height="10" aria-hidden="true">
          <path d="M1 9C4 0 18 0 21 9" className={css.followUp} />
        </svg>
        follow-up
      </li>
      <li>
        <i className={css.idle} /> idle, cut short
      </li>
    </ul>
  );
}
