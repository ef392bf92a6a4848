import { scaleLinear } from "d3-scale";
import { area, line } from "d3-shape";
import css from "./charts.module.css";

/** A share known between bounds, at one stretch of time. */
export interface BoundedPoint {
  strict: number | null;
  estimate: number | null;
  lenient: number | null;
}

const TOP = 7;
/** Room for the axis. */
const LEFT = 32;
const BOTTOM = 7;
/** The range as a whole stands at the end, as an upright of its own. */
const UPRIGHT = 10;
const GAP = 12;
/** Pixels between two labels, at least. */
const APART = 15;

/** Where a share stands, in pixels from the top. */
export function shareScale(height: number): (share: number) => number {
  return scaleLinear([0, 1], [height - BOTTOM, TOP]);
}

/** Heights of two labels, the upper one first, kept apart and inside. */
export function placeLabels(upper: number, lower: number, height: number): [number, number] {
  const missing = Math.max(0, APART - (lower - upper)) / 2;
  const [from, to] = [TOP, height - BOTTOM];
  const shift = Math.max(0, from - (upper - missing)) - Math.max(0, lower + missing - to);
  return [upper - missing + shift, lower + missing + shift];
}

/**
 * A share between its bounds over time: a band from strict to lenient with the estimate in it, on an axis from 0 to
 * 100 %; at the end the whole range, with the interval of its estimate. The figures stand beside it as text, so it
 * is hidden from screen readers.
 */
export function BoundsTrend({
  points,
  openFrom,
  whole,
  low,
  high,
  width,
  height,
}: {
  points: readonly BoundedPoint[];
  /** Where the stretch begins that is not over yet. */
  openFrom: number;
  whole: BoundedPoint;
  low?: number | null | undefined;
  high?: number | null | undefined;
  width: number;
  height: number;
}) {
  const end = width - UPRIGHT - GAP;
  const x = scaleLinear([0, Math.max(1, points.length - 1)], [LEFT + 1, end - 3]);
  const y = shareScale(height);
  const at = points.map((point, i) => ({ ...point, i }));
  type At = (typeof at)[number];
  const band = area<At>()
    .defined((d) => d.strict !== null && d.lenient !== null)
    .x((d) => x(d.i))
    .y0((d) => y(d.strict ?? 0))
    .y1((d) => y(d.lenient ?? 0));
  const middle = line<At>()
    .defined((d) => d.estimate !== null)
    .x((d) => x(d.i))
    .y((d) => y(d.estimate ?? 0));
  const over = at.slice(0, openFrom);
  const opening = at.slice(Math.max(0, openFrom - 1), openFrom + 1);
  const last = at.findLast((d) => d.estimate !== null);
  const centre = end + GAP - UPRIGHT / 2 + 2;
  return (
    <svg width={width} height={height} aria-hidden="true" className={css.spark} data-testid="sparkline">
      {[0, 0.5, 1].map((share) => (
        <line key={share} x1={LEFT} x2={width} y1={y(share)} y2={y(share)} className={css.grid} />
      ))}
      {[0, 1].map((share) => (
        <text key={share} x={LEFT - 4} y={y(share) + 3.5} textAnchor="end" className={css.scaleText}>
          {share === 0 ? "0" : "100%"}
        </text>
      ))}
      <path d={band(over) ?? ""} className={css.trendBand} />
      {openFrom < points.length && <path d={band(opening) ?? ""} className={css.trendBandOpen} />}
      <path d={middle(over) ?? ""} className={css.sparkLine} />
      {openFrom < points.length && <path d={middle(opening) ?? ""} className={css.sparkOpen} />}
      {last?.estimate != null && (
        <circle
          cx={x(last.i)}
          cy={y(last.estimate)}
          r={2.5}
          className={last.i >= openFrom ? css.sparkHollow : css.sparkDot}
        />
      )}
      {whole.strict !== null && whole.lenient !== null && (
        <rect
          x={centre - UPRIGHT / 2}
          width={UPRIGHT}
          y={y(whole.lenient)}
          height={Math.max(1.5, y(whole.strict) - y(whole.lenient))}
          rx={1}
          className={css.boundsBand}
        />
      )}
      {low != null && high != null && (
        <rect
          x={centre - 2.5}
          width={5}
          y={y(high)}
          height={Math.max(1.5, y(low) - y(high))}
          className={css.boundsInterval}
        />
      )}
      {whole.estimate !== null && (
        <rect
          x={centre - UPRIGHT / 2 - 2}
          width={UPRIGHT + 4}
          y={y(whole.estimate) - 1.25}
          height={2.5}
          rx={1}
          className={css.boundsTick}
        />
      )}
    </svg>
  );
}
