import { useQuery } from "@tanstack/react-query";
import { Pause, Play } from "lucide-react";
import { useState } from "react";
import { useArrivals } from "@/api/live";
import { tailQuery } from "@/api/queries";
import type { IngestKey } from "@/api/types";
import { plural } from "@/lib/format";
import { Button } from "@/ui/Button";
import { CsvButton, DataTable } from "@/ui/DataTable";
import { Panel } from "@/ui/Panel";
import { QueryView } from "@/ui/QueryView";
import { Empty } from "@/ui/states";
import css from "./Tail.module.css";
import { callColumns, requestColumns } from "./columns";

/** What arrives while one looks: each request with what was refused of it, and each call with all that is held. */
export function Tail({ serverId, keys }: { serverId: string; keys: readonly IngestKey[] }) {
  const [paused, setPaused] = useState(false);
  const newest = useQuery(tailQuery(serverId));
  const before = newest.data?.calls ?? [];
  const { calls, requests, missed, live } = useArrivals(
    serverId,
    newest.data && (before[0]?.seq ?? 0),
    paused,
  );
  const known = new Set(calls.map((call) => call.seq));
  const rows = [...calls, ...before.filter((call) => !known.has(call.seq))];
  const forRequests = requestColumns(keys);
  const forCalls = callColumns(serverId);
  const pause = (
    <Button
      small
      kind="quiet"
      onClick={() => {
        setPaused(!paused);
      }}
    >
      {paused ? <Play size={13} aria-hidden="true" /> : <Pause size={13} aria-hidden="true" />}
      {paused ? "Go on" : "Pause"}
    </Button>
  );
  return (
    <>
      <Panel
        title="Requests arriving now"
        note={
          <span className={css.state}>
            <span className={live ? css.live : css.waiting} aria-hidden="true" />
            {paused ? "paused" : live ? "live" : "connecting…"}
            {missed !== null && ` · ${missedText(missed)}`}
          </span>
        }
        actions={
          <>
            {pause}
            <CsvButton name="newest-requests" columns={forRequests} rows={requests} />
          </>
        }
      >
        {requests.length === 0 ? (
          <Empty title="No request since this page was opened">
            Each shows up here with what it brought, which payloads broke which rule, and how its clock stands
            to the server’s.
          </Empty>
        ) : (
          <DataTable
            caption="Newest requests"
            columns={forRequests}
            rows={requests}
            rowKey={(request) => `${String(request.received_ms)} ${request.key_id} ${request.producer}`}
            first={8}
            arriving
          />
        )}
      </Panel>
      <Panel
        title="Calls arriving now"
        note="Every field that is held about a call. There is nothing else."
        actions={<CsvButton name="newest-calls" columns={forCalls} rows={rows} />}
      >
        <QueryView query={newest} what="the newest calls" lines={6}>
          {() =>
            rows.length === 0 ? (
              <Empty title="No call has arrived yet" />
            ) : (
              <DataTable
                caption="Newest calls"
                columns={forCalls}
                rows={rows}
                rowKey={(call) => String(call.seq)}
                first={15}
                arriving
              />
            )
          }
        </QueryView>
      </Panel>
    </>
  );
}

function missedText({ arrivals, requests }: { arrivals: number; requests?: number | null }): string {
  const parts = [
    arrivals > 0 && plural(arrivals, "arrival"),
    requests == null ? "some requests" : requests > 0 && plural(requests, "request"),
  ].filter((part) => part !== false);
  return parts.length === 0 ? "nothing left out" : `${parts.join(" and ")} left out`;
}
