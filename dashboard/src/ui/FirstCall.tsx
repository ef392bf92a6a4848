import type { FirstCall } from "@/api/types";
import { Bounds } from "@/charts/Bounds";
import { percent } from "@/lib/format";
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

/** "strict 60%, lenient 90%, 90% interval 70–80%" */
export function boundsText({ strict, lenient, interval }: FirstCall): string {
  const bounds = `strict ${percent(strict)}, lenient ${percent(lenient)}`;
  return interval ? `${bounds}, 90% interval ${percent(interval.low)} to ${percent(interval.high)}` : bounds;
}
