import type { FirstCall } from "@/api/types";
import { Bounds } from "@/charts/Bounds";
import { Sparkline } from "@/charts/Sparkline";
import { count, percent } from "@/lib/format";
import { Term } from "./terms";
import css from "./FirstCall.module.css";

/** First-call success in a table: the estimate, drawn between its bounds. */
export function FirstCallCell({ value, width = 96 }: { value: FirstCall; width?: number }) {
  const { strict, lenient, first_call_success: estimate, interval } = value;
  return (
    <span className={css.cell} title={boundsText(value)}>
      <span className={css.share}>{percent(estimate)}</span>
      <Bounds
        strict={strict ?? null}
        estimate={estimate ?? null}
        lenient={lenient ?? null}
        low={interval?.low}
        high={interval?.high}
        width={width}
      />
      <span className="visually-hidden">, {boundsText(value)}</span>
    </span>
  );
}

/** First-call success as a headline draws it: how it went, and between which bounds it lies. */
export function FirstCallOverTime({
  first,
  trend,
  width,
}: {
  first: FirstCall;
  trend: { values: readonly (number | null)[]; openFrom: number };
  width: number;
}) {
  return (
    <span className={css.overTime}>
      <Sparkline {...trend} width={width} height={24} />
      <Bounds
        strict={first.strict ?? null}
        estimate={first.first_call_success ?? null}
        lenient={first.lenient ?? null}
        low={first.interval?.low}
        high={first.interval?.high}
        width={width}
        height={12}
      />
    </span>
  );
}

/** The bounds in words, or why there are none yet. */
export function FirstCallBounds({
  first,
  asOf,
  calls,
}: {
  first: FirstCall;
  asOf: number;
  /** Calls in the range, settled or not. */
  calls: number;
}) {
  if (first.settled_calls === 0 && calls > 0) return <>judged once calls have settled, after 40 s</>;
  return (
    <>
      <Term of="strict" label="strict" asOf={asOf} /> {percent(first.strict)} ·{" "}
      <Term of="lenient" label="lenient" asOf={asOf} /> {percent(first.lenient)} ·{" "}
      {count(first.estimated_calls)} calls
    </>
  );
}

/** "strict 60%, lenient 90%, 90% interval 70–80%" */
export function boundsText({ strict, lenient, interval }: FirstCall): string {
  const bounds = `strict ${percent(strict)}, lenient ${percent(lenient)}`;
  return interval ? `${bounds}, 90% interval ${percent(interval.low)} to ${percent(interval.high)}` : bounds;
}
