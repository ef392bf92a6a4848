import { scaleLinear } from "d3-scale";
import type { HistogramBin } from "@/api/types";
import { count, duration } from "@/lib/format";
import { useWidth } from "@/lib/hooks";
import css from "./charts.module.css";

export interface Mark {
  label: string;
  ms: number;
}

/** Rows of labels above the bars; percentiles that lie close take a row each. */
const ROWS = 4;
const ROW = 13;
const TOP = ROWS * ROW + 20;
/** Pixels that "p95 12.4 s" needs. */
const LABEL = 78;
const BOTTOM = 22;
const WIDEST = 240;

/**
 * Durations in bins of equal width, whatever they span: from 1 ms to minutes, a proportional axis would show one
 * bar. Percentiles stand in their bin as lines.
 */
export function Histogram({
  bins,
  marks,
  height = 230,
}: {
  bins: readonly HistogramBin[];
  marks: readonly Mark[];
  height?: number;
}) {
  const [box, width] = useWidth<HTMLDivElement>();
  // Empty bins at the ends say nothing.
  const first = bins.findIndex((bin) => bin.calls > 0);
  const last = bins.findLastIndex((bin) => bin.calls > 0);
  const shown = first < 0 ? [] : bins.slice(first, last + 1);
  const most = Math.max(1, ...shown.map((bin) => bin.calls));
  const y = scaleLinear([0, most], [height - BOTTOM, TOP]);
  const band = shown.length > 0 ? Math.min(WIDEST, width / shown.length) : 0;
  const lastEdge = shown.at(-1)?.to_ms;
  const x = (ms: number): number => {
    const at = shown.findIndex((bin) => bin.to_ms == null || ms < bin.to_ms);
    const bin = shown[at];
    if (!bin) return band * shown.length;
    const share = bin.to_ms == null ? 0.5 : (ms - bin.from_ms) / (bin.to_ms - bin.from_ms);
    return band * (at + Math.min(1, Math.max(0, share)));
  };
  const placed = placeMarks(marks, x, width);
  return (
    <div className={css.plot} ref={box}>
      {width > 0 && (
        <svg
          width={width}
          height={height}
          role="img"
          aria-label="Durations; the same figures are in the table view"
        >
          <line x1={0} x2={width} y1={height - BOTTOM} y2={height - BOTTOM} className={css.baseline} />
          {shown.map((bin, i) => (
            <g key={bin.from_ms}>
              <rect
                x={i * band + 1}
                y={y(bin.calls)}
                width={Math.max(1, band - 2)}
                height={Math.max(bin.calls > 0 ? 1 : 0, height - BOTTOM - y(bin.calls))}
                className={css.histogramBar}
              >
                <title>{`${binText(bin)}: ${count(bin.calls)} calls`}</title>
              </rect>
              {band > 30 && bin.calls > 0 && (
                <text
                  x={(i + 0.5) * band}
                  y={y(bin.calls) - 4}
                  textAnchor="middle"
                  className={css.barText}
                  aria-hidden="true"
                >
                  {count(bin.calls)}
                </text>
              )}
              {(band > 44 || i % Math.ceil(52 / band) === 0) && (
                <text
                  x={i * band}
                  y={height - 6}
                  className={css.tick}
                  textAnchor={i === 0 ? "start" : "middle"}
                >
                  {edge(bin.from_ms)}
                </text>
              )}
            </g>
          ))}
          {lastEdge != null && (
            <text
              x={band * shown.length}
              y={height - 6}
              className={css.tick}
              textAnchor={band * shown.length > width - 20 ? "end" : "middle"}
            >
              {edge(lastEdge)}
            </text>
          )}
          {placed.map((mark) => (
            <g key={mark.label}>
              <line
                x1={mark.x}
                x2={mark.x}
                y1={mark.row * ROW + 3}
                y2={height - BOTTOM}
                className={css.mark}
              />
            </g>
          ))}
          {placed.map((mark) => (
            <text
              key={mark.label}
              x={mark.x + (mark.flipped ? -4 : 4)}
              y={mark.row * ROW + 12}
              textAnchor={mark.flipped ? "end" : "start"}
              className={css.markText}
            >
              {mark.label} {duration(mark.ms)}
            </text>
          ))}
        </svg>
      )}
    </div>
  );
}

interface PlacedMark extends Mark {
  x: number;
  row: number;
  /** Whether its label stands before it: there is no room behind. */
  flipped: boolean;
}

/** Gives each mark the highest row in which its label covers no other. */
function placeMarks(marks: readonly Mark[], x: (ms: number) => number, width: number): PlacedMark[] {
  const taken: [number, number][][] = Array.from({ length: ROWS }, () => []);
  return marks.map((mark) => {
    const at = x(mark.ms);
    const flipped = at > width - LABEL;
    const [from, to] = flipped ? [at - LABEL, at] : [at, at + LABEL];
    const free = taken.findIndex((row) => row.every(([start, end]) => to < start || from > end));
    const row = Math.max(0, free);
    taken[row]?.push([from, to]);
    return Object.assign({ x: at, row, flipped }, mark);
  });
}

/** An edge of a bin, as on an axis. */
function edge(ms: number): string {
  return ms === 0 ? "0" : duration(ms).replace(/\.0+(?=\u00A0s$)/u, "");
}

/** "100 ms to 200 ms" */
export function binText(bin: HistogramBin): string {
  if (bin.to_ms == null) return `${edge(bin.from_ms)} and more`;
  return bin.from_ms === 0
    ? `under ${duration(bin.to_ms)}`
    : `${duration(bin.from_ms)} to ${duration(bin.to_ms)}`;
}
