import { scaleLinear } from "d3-scale";
import { useState } from "react";
import { count } from "@/lib/format";
import { useWidth } from "@/lib/hooks";
import { axisTick, moment, stretch } from "@/lib/time";
import css from "./charts.module.css";
import { OUTCOME, OUTCOMES, type Slices } from "./outcomes";

export interface OutcomePoint {
  start_ms: number;
  end_ms: number;
  calls: number;
  outcomes: Slices;
}

const TOP = 14;
const BOTTOM = 22;
const LEFT = 44;
/** Pixels that the label of a tick needs. */
const TICK = 68;
const WIDEST = 72;
/** Pixels that "24 Nov so far" needs. */
const SO_FAR = 84;

/** Pixels that a character of a mark's label needs, about. */
const LETTER = 6.2;

/** A moment at which something changed. */
export interface ChangeMark {
  at: number;
  label: string;
}

const NONE: readonly ChangeMark[] = [];

/**
 * Calls over time by outcome. Good ones stand on the axis and all others hang below it, so that both can be
 * compared from one stretch to the next: trouble on top of a varying pile could not.
 */
export function OutcomeChart({
  points,
  height = 220,
  marks = NONE,
  asOf,
}: {
  points: readonly OutcomePoint[];
  height?: number;
  /** Moments at which something changed, drawn as lines. */
  marks?: readonly ChangeMark[];
  /** The stretch that holds this moment is not over, and says so. */
  asOf?: number;
}) {
  const [box, width] = useWidth<HTMLDivElement>();
  const [hover, setHover] = useState<number | null>(null);
  const trouble = OUTCOMES.slice(1);

  const below = (point: OutcomePoint): number => trouble.reduce((sum, key) => sum + point.outcomes[key], 0);
  const high = Math.max(1, ...points.map((point) => point.outcomes.ok));
  const low = Math.max(...points.map(below), 0);
  const y = scaleLinear([-low, high], [height - BOTTOM - 4, TOP]).nice(5);
  const ticks = y.ticks(5).filter((tick) => Number.isInteger(tick));
  const band = points.length > 0 ? (width - LEFT) / points.length : 0;
  const gap = band > 6 ? Math.min(8, band * 0.18) : band > 2 ? 1 : 0;
  const every = Math.max(1, Math.ceil(TICK / Math.max(band, 0.001)));
  const shown = hover === null ? undefined : points[hover];
  const isOpen = (point: OutcomePoint): boolean =>
    asOf !== undefined && point.start_ms <= asOf && asOf < point.end_ms;

  return (
    <div className={css.plot} ref={box}>
      {width > 0 && (
        <svg
          width={width}
          height={height}
          role="img"
          aria-label="Calls over time by outcome; the same figures are in the table view"
          onPointerMove={(event) => {
            const at = Math.floor((event.nativeEvent.offsetX - LEFT) / band);
            setHover(at >= 0 && at < points.length ? at : null);
          }}
          onPointerLeave={() => {
            setHover(null);
          }}
        >
          {ticks.map((tick) => (
            <g key={tick}>
              <line
                x1={LEFT}
                x2={width}
                y1={y(tick)}
                y2={y(tick)}
                className={tick === 0 ? css.baseline : css.grid}
              />
              <text x={LEFT - 8} y={y(tick) + 4} textAnchor="end" className={css.tick}>
                {count(Math.abs(tick))}
              </text>
            </g>
          ))}
          {hover !== null && (
            <rect
              x={LEFT + hover * band}
              y={TOP}
              width={band}
              height={height - TOP - BOTTOM}
              className={css.hoverBand}
            />
          )}
          {points.map((point, i) => (
            <Bar
              key={point.start_ms}
              slices={point.outcomes}
              x={LEFT + i * band + gap / 2}
              width={Math.max(0.5, Math.min(band - gap, WIDEST))}
              shift={Math.max(0, (band - gap - WIDEST) / 2)}
              y={y}
            />
          ))}
          {placeChanges(marks, points, band, width).map(({ x, at, label, labelled, flipped }) => (
            <g key={`${String(at)}${label}`} className={css.change}>
              <line x1={x} x2={x} y1={TOP - 4} y2={height - BOTTOM} />
              <path d={`M${String(x - 4)} ${String(TOP - 8)}h8l-4 6z`} />
              {labelled && (
                <text
                  x={x + (flipped ? -7 : 7)}
                  y={TOP + 3}
                  textAnchor={flipped ? "end" : "start"}
                  className={css.markText}
                >
                  {label}
                </text>
              )}
              <title>{`${moment(at)}: ${label}`}</title>
            </g>
          ))}
          {points.map(
            (point, i) =>
              i % every === 0 &&
              LEFT + i * band + 40 < width && (
                <text
                  key={point.start_ms}
                  x={every === 1 ? LEFT + (i + 0.5) * band : LEFT + i * band + gap / 2}
                  y={height - 5}
                  textAnchor={every === 1 ? "middle" : "start"}
                  className={css.tick}
                >
                  {axisTick(point.start_ms, point.end_ms)}
                  {band > SO_FAR && isOpen(point) && " so far"}
                </text>
              ),
          )}
        </svg>
      )}
      {shown && hover !== null && (
        <div
          className={css.readout}
          style={
            hover < points.length / 2
              ? { insetInlineStart: LEFT + (hover + 1) * band + 8 }
              : { insetInlineEnd: width - (LEFT + hover * band) + 8 }
          }
        >
          <strong>
            {stretch(shown.start_ms, shown.end_ms)}
            {isOpen(shown) && ", so far"}
          </strong>
          <dl>
            <span />
            <dt>calls</dt>
            <dd>{count(shown.calls)}</dd>
            {OUTCOMES.map((key) => (
              <Line
                key={key}
                colour={OUTCOME[key].colour}
                label={OUTCOME[key].label}
                value={shown.outcomes[key]}
              />
            ))}
          </dl>
        </div>
      )}
    </div>
  );
}

function Line({ colour, label, value }: { colour: string; label: string; value: number }) {
  return (
    <>
      <i style={{ background: colour }} />
      <dt>{label}</dt>
      <dd>{count(value)}</dd>
    </>
  );
}

function Bar({
  slices,
  x,
  width,
  shift,
  y,
}: {
  slices: Slices;
  x: number;
  width: number;
  shift: number;
  y: (value: number) => number;
}) {
  const parts: { key: string; top: number; height: number; colour: string }[] = [];
  if (slices.ok > 0) {
    // What is there is never too thin to see.
    const size = Math.max(1, y(0) - y(slices.ok));
    parts.push({ key: "ok", top: y(0) - size, height: size, colour: OUTCOME.ok.colour });
  }
  let sum = 0;
  for (const key of OUTCOMES.slice(1)) {
    const value = slices[key];
    if (value === 0) continue;
    const top = y(-sum) + 1;
    sum += value;
    parts.push({ key, top, height: Math.max(1, y(-sum) + 1 - top), colour: OUTCOME[key].colour });
  }
  return (
    <g>
      {parts.map((part) => (
        <rect
          key={part.key}
          x={x + shift}
          y={part.top}
          width={width}
          height={part.height}
          // A fill of CSS needs the style property: attributes know no variables.
          style={{ fill: part.colour }}
        />
      ))}
    </g>
  );
}

interface PlacedChange extends ChangeMark {
  x: number;
  /** Whether there is room for its label. */
  labelled: boolean;
  /** Whether its label stands before it. */
  flipped: boolean;
}

/** Puts changes on the axis; those too close to the one before keep their line and lose their label. */
function placeChanges(
  marks: readonly ChangeMark[],
  points: readonly OutcomePoint[],
  band: number,
  width: number,
): PlacedChange[] {
  let free = 0;
  return marks
    .toSorted((a, b) => a.at - b.at)
    .flatMap((mark) => {
      const i = points.findIndex((point) => point.start_ms <= mark.at && mark.at < point.end_ms);
      const point = points[i];
      if (!point) return [];
      const x = LEFT + (i + (mark.at - point.start_ms) / (point.end_ms - point.start_ms)) * band;
      const room = mark.label.length * LETTER + 10;
      const flipped = x + room > width;
      const [from, to] = flipped ? [x - room, x] : [x, x + room];
      const labelled = from >= free;
      free = labelled ? to : Math.max(free, x);
      return [{ ...mark, x, labelled, flipped }];
    });
}
