import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Pause, Play } from "lucide-react";
import { useState } from "react";
import { tailQuery } from "@/api/queries";
import type { CallRow } from "@/api/types";
import { count, duration } from "@/lib/format";
import { clockMs, full, iso } from "@/lib/time";
import { Button } from "@/ui/Button";
import { CsvButton, DataTable, type Column } from "@/ui/DataTable";
import { Name } from "@/ui/Name";
import { Panel } from "@/ui/Panel";
import { QueryView } from "@/ui/QueryView";
import { Empty } from "@/ui/states";

/** The newest calls as they arrive, with everything that is held about each. */
export function Tail({ serverId }: { serverId: string }) {
  const [paused, setPaused] = useState(false);
  const tail = useQuery({ ...tailQuery(serverId), enabled: !paused });
  const columns = tailColumns(serverId);
  return (
    <Panel
      title="Arriving now"
      note="Every field that is held about a call. There is nothing else."
      actions={
        <>
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
          <CsvButton name="newest-calls" columns={columns} rows={tail.data?.calls ?? []} />
        </>
      }
    >
      <QueryView query={tail} what="the newest calls" lines={6}>
        {({ calls }) =>
          calls.length === 0 ? (
            <Empty title="No call has arrived yet" />
          ) : (
            <DataTable
              caption="Newest calls"
              columns={columns}
              rows={calls}
              rowKey={(call) => String(call.seq)}
              first={15}
            />
          )
        }
      </QueryView>
    </Panel>
  );
}

function tailColumns(serverId: string): Column<CallRow>[] {
  return [
    { key: "seq", header: "seq", end: true, cell: (call) => count(call.seq), csv: (call) => call.seq },
    {
      key: "received",
      header: "received",
      cell: (call) => <span title={full(call.received_ms)}>{clockMs(call.received_ms)}</span>,
      csv: (call) => iso(call.received_ms),
    },
    {
      key: "started_at",
      header: "started_at",
      cell: (call) => <span title={full(call.started_ms)}>{clockMs(call.started_ms)}</span>,
      csv: (call) => iso(call.started_ms),
    },
    {
      key: "tool_name",
      header: "tool_name",
      cell: (call) => (
        <Name short mono>
          {call.tool}
        </Name>
      ),
      csv: (call) => call.tool,
    },
    {
      key: "client_name",
      header: "client_name",
      cell: (call) => <Name short>{call.client}</Name>,
      csv: (call) => call.client,
    },
    {
      key: "session_id",
      header: "session_id",
      cell: (call) => (
        <Link
          to="/s/$serverId/sessions/$sessionId"
          params={{ serverId, sessionId: call.session_id }}
          search={(old) => old}
        >
          <Name short mono>
            {call.session_id}
          </Name>
        </Link>
      ),
      csv: (call) => call.session_id,
    },
    { key: "outcome", header: "outcome", cell: (call) => call.outcome, csv: (call) => call.outcome },
    {
      key: "is_empty",
      header: "is_empty",
      cell: (call) => String(call.is_empty),
      csv: (call) => String(call.is_empty),
    },
    {
      key: "duration_ms",
      header: "duration_ms",
      end: true,
      cell: (call) => duration(call.duration_ms),
      csv: (call) => call.duration_ms,
    },
    {
      key: "response_bytes",
      header: "response_bytes",
      end: true,
      cell: (call) => count(call.response_units),
      csv: (call) => call.response_units,
    },
    {
      key: "args_hash",
      header: "args_hash",
      cell: (call) => <code>{call.args_hash}</code>,
      csv: (call) => call.args_hash,
    },
  ];
}
