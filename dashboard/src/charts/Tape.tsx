import { useMemo, useState, type KeyboardEvent } from "react";
import type { TapeCall } from "@/api/types";
import { duration } from "@/lib/format";
import { useWidth } from "@/lib/hooks";
import { Name } from "@/ui/Name";
import { OUTCOME, type Outcome } from "./outcomes";
import css from "./Tape.module.css";
import { layoutTape, ROW, type Arc, type Lane, type PlacedCall } from "./tapeLayout";

/** The slice that a call belongs to. */
export function sliceOf(call: TapeCall): Outcome {
  return call.outcome === "ok" && call.is_empty ? "empty" : call.outcome;
}

/** Calls of one session in time order, a lane per tool. The table beside it says the same. */
export function Tape({
  calls,
  onPoint,
}: {
  calls: readonly TapeCall[];
  onPoint: (call: TapeCall | null) => void;
}) {
  const [box, width] = useWidth<HTMLDivElement>();
  const [pointed, setPointed] = useState<number | null>(null);
  const layout = useMemo(() => layoutTape(calls, width), [calls, width]);
  const point = (call: TapeCall | null): void => {
    setPointed(call?.seq ?? null);
    onPoint(call);
  };
  /** Left and right go from call to call, Home and End to the first and the last. */
  const step = (event: KeyboardEvent<HTMLDivElement>): void => {
    const at = calls.findIndex((call) => call.seq === pointed);
    const to = {
      ArrowLeft: Math.max(0, at - 1),
      ArrowRight: Math.min(calls.length - 1, at + 1),
      Home: 0,
      End: calls.length - 1,
    }[event.key];
    const call = to === undefined ? undefined : calls[to];
    if (!call) return;
    event.preventDefault();
    point(call);
    const placed = layout.lanes.flatMap((lane) => lane.calls).find((one) => one.call.seq === call.seq);
    if (placed) event.currentTarget.scrollTo({ left: placed.x - width / 2 });
  };
  return (
    <div className={css.tape}>
      <ul className={css.names} aria-hidden="true" style={{ blockSize: layout.height }}>
        {layout.lanes.map((lane) => (
          <li key={lane.tool} style={{ insetBlockStart: lane.y, blockSize: lane.height }}>
            <Name short mono>
              {lane.tool}
            </Name>
          </li>
        ))}
      </ul>
      {/* It scrolls, so it must be reachable by keyboard; arrow keys then go from call to call. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <div
        className={css.scroll}
        ref={box}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        role="group"
        aria-label="Tape of calls"
        onKeyDown={step}
      >
        {width > 0 && (
          <svg
            width={layout.width}
            height={layout.height}
            role="img"
            aria-label="Calls in time order; the table below lists them"
            onPointerLeave={() => {
              point(null);
            }}
          >
            {layout.gaps.map((gap) => (
              <g key={gap.x} className={css.gap}>
                <rect x={gap.x} y={18} width={gap.width} height={layout.height - 18} />
                <text x={gap.x + gap.width / 2} y={12} textAnchor="middle">
                  {shortGap(gap.ms)}
                </text>
              </g>
            ))}
            {layout.lanes.map((lane) => (
              <line
                key={lane.tool}
                x1={0}
                x2={layout.width}
                y1={lane.y + lane.height}
                y2={lane.y + lane.height}
                className={css.lane}
              />
            ))}
            {layout.arcs.map((arc) => (
              <Jump key={arc.to.call.seq} arc={arc} />
            ))}
            {layout.lanes.map((lane) =>
              lane.calls.map((placed) => (
                <Mark
                  key={placed.call.seq}
                  placed={placed}
                  y={top(lane, placed)}
                  pointed={pointed === placed.call.seq}
                  onPoint={point}
                />
              )),
            )}
          </svg>
        )}
      </div>
    </div>
  );
}

function top(lane: Lane, placed: PlacedCall): number {
  return lane.y + lane.height - 3 - ROW * (placed.row + 1);
}

function Mark({
  placed: { call, x, width },
  y,
  pointed,
  onPoint,
}: {
  placed: PlacedCall;
  y: number;
  pointed: boolean;
  onPoint: (call: TapeCall) => void;
}) {
  const colour = OUTCOME[sliceOf(call)].colour;
  // A repeat is hollow: the same arguments once more.
  const style = call.repeat > 0 ? { fill: "var(--paper)", stroke: colour } : { fill: colour };
  return (
    <rect
      x={x + (call.repeat > 0 ? 0.75 : 0)}
      y={y + (call.repeat > 0 ? 0.75 : 0)}
      width={Math.max(1, width - (call.repeat > 0 ? 1.5 : 0))}
      height={ROW - 3 - (call.repeat > 0 ? 1.5 : 0)}
      rx={1.5}
      strokeWidth={1.5}
      style={style}
      className={pointed ? css.pointed : undefined}
      onPointerEnter={() => {
        onPoint(call);
      }}
    />
  );
}

function Jump({ arc: { kind, from, to, lane } }: { arc: Arc }) {
  const [x1, x2] = [from.x + from.width, to.x + 1];
  const [y1, y2] = [top(lane, from), top(lane, to)];
  const rise = Math.min(y1, y2) - 16;
  return (
    <path
      d={`M${String(x1 - 1)} ${String(y1)}C${String(x1)} ${String(rise)} ${String(x2)} ${String(rise)} ${String(x2)} ${String(y2)}`}
      className={kind === "retry" ? css.retry : css.followUp}
    />
  );
}

function shortGap(ms: number): string {
  if (ms < 100_000) return duration(Math.round(ms / 1000) * 1000).replace(/\.0+(?=\u00A0s)/u, "");
  if (ms < 5_400_000) return `${String(Math.round(ms / 60_000))} min`;
  return ms < 172_800_000
    ? `${String(Math.round(ms / 3_600_000))} h`
    : `${String(Math.round(ms / 86_400_000))} d`;
}
