/** Where every call of a session stands on its tape: plain geometry, no drawing. */
import type { TapeCall } from "@/api/types";

export interface PlacedCall {
  call: TapeCall;
  x: number;
  width: number;
  /** Row inside the lane: parallel calls lie below each other. */
  row: number;
}

export interface Lane {
  tool: string;
  y: number;
  height: number;
  calls: PlacedCall[];
}

/** A jump from the step before in the run. */
export interface Arc {
  kind: "retry" | "follow_up";
  from: PlacedCall;
  to: PlacedCall;
  lane: Lane;
}

/** A stretch in which nothing ran, drawn at a fixed width. */
export interface Gap {
  x: number;
  width: number;
  ms: number;
}

export interface Layout {
  lanes: Lane[];
  arcs: Arc[];
  gaps: Gap[];
  width: number;
  height: number;
}

export const ROW = 14;
const LANE_PAD = 18;
const TOP = 26;
const GAP = 36;
/** Idle stretches from here on are cut short. */
const LONG_IDLE_MS = 1_500;
const MIN_CALL = 4;

/** Pixels for a stretch of time: longer is wider, but not in proportion, or a slow call would hide the rest. */
function pixels(ms: number): number {
  return 7 * Math.log2(1 + ms / 25);
}

const start = (call: TapeCall): number => call.started_ms;
const end = (call: TapeCall): number => call.started_ms + call.duration_ms;

/** Lays out calls that are ordered by start. `room` is the width there is: a short tape is stretched to fill it. */
export function layoutTape(calls: readonly TapeCall[], room: number): Layout {
  const time = compress(calls);
  const stretch = Math.min(4, Math.max(1, (room - 8) / Math.max(1, time.width)));
  const at = (ms: number): number => 4 + time.at(ms) * stretch;
  const lanes = new Map<string, Lane & { ends: number[] }>();
  const placed = new Map<number, PlacedCall>();

  for (const call of calls) {
    let lane = lanes.get(call.tool);
    if (!lane) {
      lane = { tool: call.tool, y: 0, height: 0, calls: [], ends: [] };
      lanes.set(call.tool, lane);
    }
    const x = at(start(call));
    const width = Math.max(MIN_CALL, at(end(call)) - x - 1);
    // Rows are taken by what is drawn, so that nothing is drawn over a neighbour.
    let row = lane.ends.findIndex((taken) => taken <= x);
    if (row < 0) row = lane.ends.length;
    lane.ends[row] = x + width + 1;
    const one = { call, x, width, row };
    lane.calls.push(one);
    placed.set(call.seq, one);
  }

  let y = TOP;
  for (const lane of lanes.values()) {
    lane.y = y;
    lane.height = LANE_PAD + Math.max(1, lane.ends.length) * ROW;
    y += lane.height;
  }
  return {
    lanes: [...lanes.values()],
    arcs: arcsOf(calls, placed, lanes),
    gaps: time.gaps.map((gap) => ({ x: 4 + gap.x * stretch, width: gap.width * stretch, ms: gap.ms })),
    width: Math.max(room, 8 + time.width * stretch),
    height: y + 6,
  };
}

/** From moments to positions, piece by piece. */
function compress(calls: readonly TapeCall[]): { at: (ms: number) => number; width: number; gaps: Gap[] } {
  const edges = [...new Set(calls.flatMap((call) => [start(call), end(call)]))].toSorted((a, b) => a - b);
  const positions = new Map<number, number>();
  const gaps: Gap[] = [];
  let x = 0;
  let next = 0;
  let busyUntil = Number.NEGATIVE_INFINITY;
  let before: number | undefined;
  for (const edge of edges) {
    if (before !== undefined) {
      const ms = edge - before;
      const idle = busyUntil <= before;
      if (idle && ms >= LONG_IDLE_MS) {
        // Room for a call that is drawn wider than it lasted.
        gaps.push({ x: x + MIN_CALL, width: GAP, ms });
        x += GAP + 2 * MIN_CALL;
      } else {
        x += Math.max(idle ? MIN_CALL + 2 : 1, pixels(ms));
      }
    }
    positions.set(edge, x);
    for (let call = calls[next]; call && start(call) <= edge; call = calls[next]) {
      busyUntil = Math.max(busyUntil, end(call));
      next += 1;
    }
    before = edge;
  }
  return { at: (ms) => positions.get(ms) ?? 0, width: x + MIN_CALL, gaps };
}

/** Joins the first call of a linked step with the last call of the step before in its run. */
function arcsOf(
  calls: readonly TapeCall[],
  placed: ReadonlyMap<number, PlacedCall>,
  lanes: ReadonlyMap<string, Lane>,
): Arc[] {
  const arcs: Arc[] = [];
  const drawn = new Set<number>();
  const runs = new Map<number, { step: number; last: TapeCall; before: TapeCall | undefined }>();
  for (const call of calls) {
    const known = runs.get(call.run);
    if (known?.step === call.step) {
      if (end(call) >= end(known.last)) known.last = call;
      continue;
    }
    const before = known?.last;
    runs.set(call.run, { step: call.step, last: call, before });
    const [from, to, lane] = [before && placed.get(before.seq), placed.get(call.seq), lanes.get(call.tool)];
    if (call.link != null && from && to && lane && !drawn.has(call.step)) {
      drawn.add(call.step);
      arcs.push({ kind: call.link, from, to, lane });
    }
  }
  return arcs;
}
