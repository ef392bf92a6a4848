import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Change, Comparison, ProducerVersion, ToolImpact } from "@/api/types";
import { BeforeAfter, Interval } from "@/charts/Differences";
import { count, percent, points } from "@/lib/format";
import { full, iso, moment } from "@/lib/time";
import { DataTable, type Column } from "@/ui/DataTable";
import { Name } from "@/ui/Name";
import { cx } from "@/ui/cx";
import css from "./ChangeItem.module.css";
import { changeTitle } from "./words";

const VERDICT: Record<Comparison["verdict"], string> = {
  better: "better",
  worse: "worse",
  no_difference: "may be chance",
  too_few_calls: "too few calls",
};

/** One change: what it was, and whether it helped. */
export function ChangeItem({
  serverId,
  change,
  only,
}: {
  serverId: string;
  change: Change;
  /** Leaves out what the change did to other tools. */
  only?: string;
}) {
  const kept = (names: string[]): string[] =>
    only === undefined ? names : names.filter((name) => name === only);
  const impact = change.impact.filter((row) => only === undefined || row.tool === only);
  return (
    <li className={css.item}>
      <p className={css.when} title={full(change.at_ms)}>
        {moment(change.at_ms)}
      </p>
      <div className={css.what}>
        <h3>{changeTitle(change)}</h3>
        {change.kind === "producer" && change.producer && (
          <p className={css.line}>
            {version(change.producer)}
            {change.previous_producer && (
              <span className={css.quiet}> after {version(change.previous_producer)}</span>
            )}
          </p>
        )}
        <Names label="added" names={kept(change.added)} serverId={serverId} />
        <Names label="removed" names={kept(change.removed)} serverId={serverId} />
        {change.renamed
          .filter(({ from, to }) => only === undefined || from === only || to === only)
          .map(({ from, to }) => (
            <p key={to} className={css.line}>
              <b>renamed</b> <Name mono>{from}</Name> → <Name mono>{to}</Name>
            </p>
          ))}
        <Names label="schema changed" names={kept(change.schema_changed)} serverId={serverId} />
        <Names label="wording changed" names={kept(change.wording_changed)} serverId={serverId} />
        <Names label="policy changed" names={kept(change.policy_changed)} serverId={serverId} />
        {only === undefined && change.kind === "surface" && change.schema_units_difference !== 0 && (
          <p className={css.line}>
            <b>list</b> {change.schema_units_difference > 0 ? "+" : "−"}
            {count(Math.abs(change.schema_units_difference))} units
          </p>
        )}
        {impact.length > 0 && <Impact serverId={serverId} rows={impact} />}
      </div>
    </li>
  );
}

function version({ sdk, mcp_sdk_version: mcp }: ProducerVersion): ReactNode {
  return (
    <>
      <Name mono>{sdk ?? "unknown SDK"}</Name>
      {mcp != null && (
        <>
          {" "}
          with MCP SDK <Name mono>{mcp}</Name>
        </>
      )}
    </>
  );
}

function Names({ label, names, serverId }: { label: string; names: string[]; serverId: string }) {
  if (names.length === 0) return null;
  return (
    <p className={css.line}>
      <b>{label}</b>{" "}
      {names.map((name, i) => (
        <span key={name}>
          {i > 0 && ", "}
          <Link to="/s/$serverId/tools/$tool" params={{ serverId, tool: name }} search={(old) => old}>
            <Name mono>{name}</Name>
          </Link>
        </span>
      ))}
    </p>
  );
}

interface Compared {
  change: Change;
  row: ToolImpact;
}

/** Every comparison of every change, for a download. */
export const COMPARISONS: readonly Column<Compared>[] = [
  { key: "at", csv: ({ change }) => iso(change.at_ms) },
  { key: "kind", csv: ({ change }) => change.kind },
  { key: "tool", csv: ({ row }) => row.tool },
  { key: "calls_before", csv: ({ row }) => row.before.settled_calls },
  { key: "calls_after", csv: ({ row }) => row.after.settled_calls },
  { key: "first_call_success_before", csv: ({ row }) => row.before.first_call.first_call_success },
  { key: "first_call_success_after", csv: ({ row }) => row.after.first_call.first_call_success },
  { key: "strict_difference", csv: ({ row }) => row.strict.difference },
  { key: "strict_low", csv: ({ row }) => row.strict.interval?.low },
  { key: "strict_high", csv: ({ row }) => row.strict.interval?.high },
  { key: "strict_verdict", csv: ({ row }) => row.strict.verdict },
  { key: "without_error_difference", csv: ({ row }) => row.without_error.difference },
  { key: "without_error_verdict", csv: ({ row }) => row.without_error.verdict },
];

export function comparisons(changes: readonly Change[]): Compared[] {
  return changes.flatMap((change) => change.impact.map((row) => ({ change, row })));
}

/** Before and after, told apart by what each session had, not by date. */
function Impact({ serverId, rows }: { serverId: string; rows: ToolImpact[] }) {
  const columns: Column<ToolImpact>[] = [
    {
      key: "tool",
      header: "Did it help?",
      cell: (row) =>
        row.tool == null ? (
          "all tools"
        ) : (
          <Link to="/s/$serverId/tools/$tool" params={{ serverId, tool: row.tool }} search={(old) => old}>
            <Name short mono>
              {row.tool}
            </Name>
          </Link>
        ),
    },
    {
      key: "calls",
      header: "Settled calls",
      end: true,
      cell: (row) => `${count(row.before.settled_calls)} → ${count(row.after.settled_calls)}`,
    },
    {
      key: "strict",
      term: "strict",
      header: "Strict, before → after",
      cell: (row) => <StrictMoved row={row} />,
    },
    {
      key: "by",
      term: "difference",
      header: "Difference of strict",
      wide: true,
      cell: (row) => <Difference of={row.strict} drawn />,
    },
    {
      key: "error",
      term: "without_error",
      cell: (row) => <Difference of={row.without_error} />,
    },
  ];
  return (
    <DataTable
      caption="Before and after the change"
      columns={columns}
      rows={rows}
      rowKey={(row) => row.tool ?? ""}
    />
  );
}

/** `strict` on both sides. First-call success is an estimate on each: in `strict`, lists cancel out. */
function StrictMoved({ row }: { row: ToolImpact }) {
  const [before, after] = [row.before.first_call, row.after.first_call];
  return (
    <span
      className={css.moved}
      title={`first-call success ${percent(before.first_call_success)} → ${percent(after.first_call_success)}`}
    >
      <span className={css.movedText}>
        {percent(before.strict)} → {percent(after.strict)}
      </span>
      <BeforeAfter before={before.strict ?? null} after={after.strict ?? null} />
    </span>
  );
}

export function Difference({ of, drawn = false }: { of: Comparison; drawn?: boolean }) {
  const { difference, interval, verdict } = of;
  const tone = verdict === "better" || verdict === "worse" ? verdict : "open";
  const bounds = interval && `${points(interval.low, "")} to ${points(interval.high)}`;
  return (
    <span className={css.moved} title={bounds ? `99% interval ${bounds}` : undefined}>
      {drawn && difference != null && interval && (
        <Interval difference={difference} low={interval.low} high={interval.high} tone={tone} />
      )}
      <span>
        <span className={cx(tone === "better" && css.better, tone === "worse" && css.worse)}>
          {difference != null && points(difference)} {VERDICT[verdict]}
        </span>
        {bounds && <span className="visually-hidden">, 99% interval {bounds}</span>}
      </span>
    </span>
  );
}
