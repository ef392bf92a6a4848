import { Link } from "@tanstack/react-router";
import type { CallRow, IngestEvent, IngestKey } from "@/api/types";
import { count, duration } from "@/lib/format";
import { clockMs, full, iso } from "@/lib/time";
import { Count } from "@/ui/Count";
import type { Column } from "@/ui/DataTable";
import { Name } from "@/ui/Name";
import css from "./Tail.module.css";
import { KeyName } from "./KeyName";

/** One ingest request: what it brought, and what was refused of it. */
export function requestColumns(keys: readonly IngestKey[]): Column<IngestEvent>[] {
  return [
    {
      key: "received",
      header: "Received",
      cell: (r) => <span title={full(r.received_ms)}>{clockMs(r.received_ms)}</span>,
      csv: (r) => iso(r.received_ms),
    },
    {
      key: "producer",
      header: "Producer",
      cell: (r) => <Name short>{r.producer}</Name>,
      csv: (r) => r.producer,
    },
    { key: "key", header: "Key", cell: (r) => <KeyName id={r.key_id} keys={keys} />, csv: (r) => r.key_id },
    { key: "calls", header: "Calls", end: true, cell: (r) => <Count of={r.calls} />, csv: (r) => r.calls },
    {
      key: "startups",
      header: "Startups",
      end: true,
      cell: (r) => <Count of={r.startups} />,
      csv: (r) => r.startups,
    },
    {
      key: "agreements",
      header: "Agreements",
      end: true,
      cell: (r) => <Count of={r.agreements} />,
      csv: (r) => r.agreements,
    },
    { key: "lag_ms", term: "clock", cell: (r) => <Clock lag={r.lag_ms} />, csv: (r) => r.lag_ms },
    {
      key: "rejected",
      header: "Rejected",
      end: true,
      cell: (r) => <Count of={r.rejected} />,
      csv: (r) => r.rejected,
    },
    {
      key: "rules",
      header: "Where, and by which rule",
      wide: true,
      cell: (r) =>
        r.rejections.length > 0 && (
          <span className={css.rules}>
            {r.rejections.slice(0, 3).map((one) => (
              <span key={one.index}>
                payload {count(one.index)} <code>{one.path === "" ? "/" : one.path}</code> {one.rule}
              </span>
            ))}
            {r.rejected > 3 && <span>and {count(r.rejected - 3)} more</span>}
          </span>
        ),
      csv: (r) => r.rejections.map((one) => `${String(one.index)} ${one.path} ${one.rule}`).join("; "),
    },
  ];
}

/** How a producer's clock stands to the server's, as far as the newest call of a request tells. */
function Clock({ lag }: { lag: number | null | undefined }) {
  if (lag == null) return <>–</>;
  return lag < 0 ? (
    <span className={css.ahead}>{duration(-lag)} ahead</span>
  ) : (
    <>{duration(lag)} after the call</>
  );
}

/** Everything that is held about a call, under the names of the wire format. */
export function callColumns(serverId: string): Column<CallRow>[] {
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
