import css from "./charts.module.css";

export interface BoundsProps {
  strict: number | null;
  estimate: number | null;
  lenient: number | null;
  /** Interval of the estimate. */
  low?: number | null | undefined;
  high?: number | null | undefined;
  width: number;
  height?: number;
  /** Whether to write 0 and 100 % under the ends. */
  scale?: boolean;
}

/**
 * A share that is known only between bounds: a pale band from strict to lenient, a darker one for the
 * interval of the estimate, and a tick at the estimate, on an axis from 0 to 100 %. The figures stand
 * beside it as text, so it is hidden from screen readers.
 */
export function Bounds({
  strict,
  estimate,
  lenient,
  low,
  high,
  width,
  height = 10,
  scale = false,
}: BoundsProps) {
  const pad = 2;
  const x = (share: number): number => pad + share * (width - 2 * pad);
  const mid = height / 2;
  return (
    <svg width={width} height={height + (scale ? 14 : 0)} aria-hidden="true" className={css.bounds}>
      <line x1={x(0)} x2={x(1)} y1={mid} y2={mid} className={css.boundsAxis} />
      {[0, 0.5, 1].map((at) => (
        <line key={at} x1={x(at)} x2={x(at)} y1={mid - 2} y2={mid + 2} className={css.boundsAxis} />
      ))}
      {strict !== null && lenient !== null && (
        <rect
          x={x(strict)}
          y={mid - 3}
          width={Math.max(1.5, x(lenient) - x(strict))}
          height={6}
          rx={1}
          className={css.boundsBand}
        />
      )}
      {low != null && high != null && (
        <rect
          x={x(low)}
          y={mid - 1.5}
          width={Math.max(1.5, x(high) - x(low))}
          height={3}
          className={css.boundsInterval}
        />
      )}
      {estimate !== null && (
        <rect x={x(estimate) - 1.25} y={0} width={2.5} height={height} rx={1} className={css.boundsTick} />
      )}
      {scale && (
        <g className={css.boundsText}>
          <text x={x(0)} y={height + 11}>
            0
          </text>
          <text x={x(1)} y={height + 11} textAnchor="end">
            100%
          </text>
        </g>
      )}
    </svg>
  );
}
