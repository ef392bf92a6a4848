import { scaleLinear } from "d3-scale";
import css from "./charts.module.css";

const WIDTH = 104;
const HEIGHT = 16;
const MID = HEIGHT / 2;

/** A share before and after, on one axis from 0 to 100 %: hollow before, filled after. The text beside it says the same. */
export function BeforeAfter({ before, after }: { before: number | null; after: number | null }) {
  const x = scaleLinear([0, 1], [4, WIDTH - 4]);
  return (
    <svg width={WIDTH} height={HEIGHT} aria-hidden="true" className={css.bounds}>
      <line x1={x(0)} x2={x(1)} y1={MID} y2={MID} className={css.boundsAxis} />
      {[0, 0.5, 1].map((at) => (
        <line key={at} x1={x(at)} x2={x(at)} y1={MID - 2} y2={MID + 2} className={css.boundsAxis} />
      ))}
      {before !== null && after !== null && (
        <line x1={x(before)} x2={x(after)} y1={MID} y2={MID} className={css.moved} />
      )}
      {before !== null && <circle cx={x(before)} cy={MID} r={3.5} className={css.sparkHollow} />}
      {after !== null && <circle cx={x(after)} cy={MID} r={3.5} className={css.sparkDot} />}
    </svg>
  );
}

/** A difference of shares with its interval, on an axis from −50 to +50 points with nought in the middle. */
export function Interval({
  difference,
  low,
  high,
  tone,
}: {
  difference: number;
  low: number;
  high: number;
  tone: "better" | "worse" | "open";
}) {
  const x = scaleLinear([-0.5, 0.5], [2, WIDTH - 2]).clamp(true);
  return (
    <svg width={WIDTH} height={HEIGHT} aria-hidden="true" className={css.bounds} data-tone={tone}>
      <line x1={x(-0.5)} x2={x(0.5)} y1={MID} y2={MID} className={css.boundsAxis} />
      <line x1={x(0)} x2={x(0)} y1={0} y2={HEIGHT} className={css.nought} />
      <rect
        x={x(low)}
        width={Math.max(1.5, x(high) - x(low))}
        y={MID - 2.5}
        height={5}
        rx={1}
        className={css.interval}
      />
      <rect
        x={x(difference) - 1.25}
        width={2.5}
        y={2}
        height={HEIGHT - 4}
        rx={1}
        className={css.boundsTick}
      />
    </svg>
  );
}
