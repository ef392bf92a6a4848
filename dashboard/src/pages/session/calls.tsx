import { Link } from "@tanstack/react-router";
import type { TapeCall } from "@/api/types";
import { OUTCOME } from "@/charts/outcomes";
import { sliceOf } from "@/charts/Tape";
import { count, duration, percent } from "@/lib/format";
import { clockMs, full, iso } from "@/lib/time";
import type { Column } from "@/ui/DataTable";
import { Name } from "@/ui/Name";
import css from "../Session.module.css";

/** What a call is to the one before it, in words. */
export function linkText(call: TapeCall): string {
  const parts = [];
  if (call.repeat > 0) parts.push(`repeat ${String(call.repeat)}`);
  if (call.link === "retry") parts.push("retry");
  if (call.link === "follow_up") parts.push("follow-up");
  return parts.join(", ");
}

/** What came after a call, in words. */
export function behindText(call: TapeCall): string {
  if (call.crowded) return "crowded";
  if (!call.settled) return "not settled";
  if (call.link_behind === "retry") return "retried";
  if (call.link_behind === "follow_up") {
    return call.reworded_probability == null
      ? "followed up"
      : `followed up, reworded ${percent(call.reworded_probability, 0)}`;
  }
  return "";
}

export function OutcomeWord({ call }: { call: TapeCall }) {
  const { label, colour } = OUTCOME[sliceOf(call)];
  return (
    <span className={css.outcome}>
      <i style={{ background: colour }} aria-hidden="true" />
      {label}
    </span>
  );
}

export function callColumns(serverId: string): Column<TapeCall>[] {
  return [
    {
      key: "started",
      header: "Started",
      cell: (call) => <span title={full(call.started_ms)}>{clockMs(call.started_ms)}</span>,
      csv: (call) => iso(call.started_ms),
      sort: (call) => call.started_ms,
    },
    {
      key: "tool",
      header: "Tool",
      cell: (call) => (
        <Link to="/s/$serverId/tools/$tool" params={{ serverId, tool: call.tool }} search={(old) => old}>
          <Name short mono>
            {call.tool}
          </Name>
        </Link>
      ),
      csv: (call) => call.tool,
      sort: (call) => call.tool,
    },
    {
      key: "outcome",
      header: "Outcome",
      cell: (call) => <OutcomeWord call={call} />,
      csv: (call) => (call.is_empty ? "empty" : call.outcome),
      sort: (call) => call.outcome,
    },
    {
      key: "duration_ms",
      header: "Duration",
      end: true,
      cell: (call) => duration(call.duration_ms),
      csv: (call) => call.duration_ms,
      sort: (call) => call.duration_ms,
    },
    {
      key: "response_units",
      header: "Units",
      end: true,
      cell: (call) => count(call.response_units),
      csv: (call) => call.response_units,
      sort: (call) => call.response_units,
    },
    {
      key: "args_hash",
      header: "Arguments",
      cell: (call) => <code>{call.args_hash}</code>,
      csv: (call) => call.args_hash,
      sort: (call) => call.args_hash,
    },
    { key: "step", csv: (call) => call.step },
    { key: "is", term: "call_is", cell: linkText, csv: linkText },
    { key: "behind", term: "call_was", cell: behindText, csv: behindText },
    {
      key: "client",
      header: "Client",
      cell: (call) => <Name short>{call.client}</Name>,
      csv: (call) => call.client,
      sort: (call) => call.client,
    },
  ];
}
