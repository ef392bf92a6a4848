import { Link } from "@tanstack/react-router";
import { ArrowRight } from "lucide-react";
import type { Insight } from "@/api/types";
import { Name } from "@/ui/Name";
import { cx } from "@/ui/cx";
import { Empty } from "@/ui/states";
import css from "./Insights.module.css";

const SEVERITY: Record<Insight["severity"], string> = {
  high: "act today",
  medium: "look into it",
  low: "good to know",
};

/** How many are shown before the rest is asked for. */
const FIRST = 5;

/** What to fix first: a tool, a number and a consequence, the most severe on top. */
export function Insights({ serverId, insights }: { serverId: string; insights: Insight[] }) {
  if (insights.length === 0) {
    return (
      <Empty title="Nothing stands out">
        An insight needs at least 20 calls and evidence past its threshold. None has both in this range.
      </Empty>
    );
  }
  const item = (insight: Insight) => <Item key={keyOf(insight)} serverId={serverId} insight={insight} />;
  return (
    <>
      <ul className={css.list}>{insights.slice(0, FIRST).map(item)}</ul>
      {insights.length > FIRST && (
        <details className={css.rest}>
          <summary>{insights.length - FIRST} more</summary>
          <ul className={css.list}>{insights.slice(FIRST).map(item)}</ul>
        </details>
      )}
    </>
  );
}

function keyOf({ kind, tool, client, other_tool, field }: Insight): string {
  return [kind, tool, client, other_tool, field].join("\n");
}

/** The message around the tool's name, which stands in it as a link: where it is a word of its own, else in front. */
export function around(tool: string, message: string): [before: string, after: string] {
  for (let at = message.indexOf(tool); at >= 0; at = message.indexOf(tool, at + 1)) {
    const [before, after] = [message.slice(0, at), message.slice(at + tool.length)];
    if (/(?:^|\s)$/u.test(before) && /^(?:[\s,;:.]|$)/u.test(after)) return [before, after];
  }
  return ["", ` ${message}`];
}

function Item({ serverId, insight }: { serverId: string; insight: Insight }) {
  const [before, after] = around(insight.tool, insight.message);
  return (
    <li className={css.item}>
      <span className={cx(css.severity, css[insight.severity])}>{SEVERITY[insight.severity]}</span>
      <span className={css.message}>
        {before}
        <Link
          to="/s/$serverId/tools/$tool"
          params={{ serverId, tool: insight.tool }}
          search={(old) => old}
          className={css.tool}
        >
          <Name mono>{insight.tool}</Name>
        </Link>
        {after}
      </span>
      <ArrowRight size={14} aria-hidden="true" className={css.arrow} />
    </li>
  );
}
