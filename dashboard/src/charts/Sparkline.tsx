import { scaleLinear } from "d3-scale";
import { area, line } from "d3-shape";
import css from "./charts.module.css";

/** A small line without axes. Decoration beside a figure that says the same in words: hidden from readers. */
export function Sparkline({
  values,
  width = 120,
  height = 28,
  from0 = true,
  openFrom = values.length,
}: {
  values: readonly (number | null)[];
  width?: number;
  height?: number;
  /** Whether the line stands on zero. */
  from0?: boolean;
  /** Where the stretch begins that is not over yet: its value is drawn as one that may change, not as a fall. */
  openFrom?: number;
}) {
  const known = values.filter((v): v is number => v !== null);
  if (known.length === 0) return <svg width={width} height={height} aria-hidden="true" />;
  const low = from0 ? 0 : Math.min(...known);
  const high = Math.max(...known);
  const x = scaleLinear([0, values.length - 1], [2, width - 4]);
  const y = scaleLinear([low, high === low ? low + 1 : high], [height - 2, 4]);
  const at = values.map((v, i) => ({ v, i }));
  const draw = line<{ v: number | null; i: number }>()
    .defined((d) => d.v !== null)
    .x((d) => x(d.i))
    .y((d) => y(d.v ?? 0));
  const fill = area<{ v: number | null; i: number }>()
    .defined((d) => d.v !== null)
    .x((d) => x(d.i))
    .y0(height - 2)
    .y1((d) => y(d.v ?? 0));
  const last = at.findLast((d) => d.v !== null);
  const isOpen = last !== undefined && last.i >= openFrom;
  const over = at.slice(0, openFrom);
  return (
    <svg width={width} height={height} aria-hidden="true" className={css.spark} data-testid="sparkline">
      <path d={fill(over) ?? ""} className={css.sparkFill} />
      <path d={draw(over) ?? ""} className={css.sparkLine} />
      {isOpen && (
        <path d={draw(at.slice(Math.max(0, openFrom - 1), openFrom + 1)) ?? ""} className={css.sparkOpen} />
      )}
      {last?.v != null && (
        <circle cx={x(last.i)} cy={y(last.v)} r={2.5} className={isOpen ? css.sparkHollow : css.sparkDot} />
      )}
    </svg>
  );
}
