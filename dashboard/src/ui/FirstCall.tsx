import type { FirstCall, Point } from "@/api/types";
import { Bounds } from "@/charts/Bounds";
import { BoundsTrend, placeLabels, shareScale } from "@/charts/BoundsTrend";
import { Fitted } from "@/charts/Fitted";
import { count, percent } from "@/lib/format";
import { Before, Figure } from "./Figure";
import { cx } from "./cx";
import css from "./FirstCall.module.css";
import { Term } from "./terms";

/** First-call success in a table: the estimate, drawn between its bounds; with `wide`, over the room there is. */
export function FirstCallCell({ value, wide = false }: { value: FirstCall; wide?: boolean }) {
  const { strict, lenient, first_call_success: estimate, interval } = value;
  const drawn = (width: number) => (
    <Bounds
      strict={strict ?? null}
      estimate={estimate ?? null}
      lenient={lenient ?? null}
      low={interval?.low}
      high={interval?.high}
      width={width}
    />
  );
  return (
    <span className={cx(css.cell, wide && css.wide)} title={boundsText(value)}>
      <span className={css.share}>{percent(estimate)}</span>
      {wide ? <Fitted most={420}>{drawn}</Fitted> : drawn(96)}
      <span className="visually-hidden">, {boundsText(value)}</span>
    </span>
  );
}

/** Pixels of the headline's chart. */
const HEIGHT = 92;

/** First-call success as the leading figure: the estimate, how it went, and between which bounds it lies. */
export function FirstCallFigure({
  first,
  before,
  series,
  asOf,
  calls,
}: {
  first: FirstCall;
  before: FirstCall;
  series: readonly Point[];
  asOf: number;
  /** Calls in the range, settled or not. */
  calls: number;
}) {
  return (
    <Figure
      id="first-call"
      lead
      name={<Term of="first_call" asOf={asOf} />}
      value={percent(first.first_call_success)}
      before={
        <Before
          now={first.first_call_success}
          before={before.first_call_success}
          write={percent}
          better="up"
        />
      }
      chart={
        // Even where no call is judged yet, so that the page does not jump.
        <Drawn first={first} series={series} asOf={asOf} />
      }
      detail={
        first.settled_calls === 0 && calls > 0
          ? "judged once calls have settled, after 40 s"
          : `of ${count(first.estimated_calls)} settled calls`
      }
    />
  );
}

function Drawn({ first, series, asOf }: { first: FirstCall; series: readonly Point[]; asOf: number }) {
  const open = series.findIndex((point) => asOf < point.end_ms);
  const openFrom = open < 0 ? series.length : open;
  const points = series.map((point, i) =>
    i > openFrom
      ? { strict: null, estimate: null, lenient: null }
      : {
          strict: point.strict ?? null,
          estimate: point.first_call_success ?? null,
          lenient: point.lenient ?? null,
        },
  );
  const { strict = null, lenient = null } = first;
  const y = shareScale(HEIGHT);
  const [upper, lower] = placeLabels(y(lenient ?? 1), y(strict ?? 0), HEIGHT);
  return (
    <span className={css.drawn}>
      <Fitted most={520}>
        {(width) => (
          <BoundsTrend
            points={points}
            openFrom={openFrom}
            whole={{ strict, lenient, estimate: first.first_call_success ?? null }}
            low={first.interval?.low}
            high={first.interval?.high}
            width={width}
            height={HEIGHT}
          />
        )}
      </Fitted>
      <span className={css.labels} style={{ blockSize: HEIGHT }}>
        <span style={{ insetBlockStart: lower }}>
          <Term of="strict" label="strict" asOf={asOf} /> <b>{percent(strict)}</b>
        </span>
        <span style={{ insetBlockStart: upper }}>
          <Term of="lenient" label="lenient" asOf={asOf} /> <b>{percent(lenient)}</b>
        </span>
      </span>
    </span>
  );
}

/** "strict 60%, lenient 90%, 90% interval 70–80%" */
export function boundsText({ strict, lenient, interval }: FirstCall): string {
  const bounds = `strict ${percent(strict)}, lenient ${percent(lenient)}`;
  return interval ? `${bounds}, 90% interval ${percent(interval.low)} to ${percent(interval.high)}` : bounds;
}
