import { describe, expect, it } from "vitest";
import type { TapeCall } from "@/api/types";
import { layoutTape } from "./tapeLayout";

let seq = 0;
function call(started_ms: number, duration_ms: number, more: Partial<TapeCall> = {}): TapeCall {
  seq += 1;
  return {
    seq,
    received_ms: started_ms + duration_ms,
    session_id: "s",
    client: "c",
    tool: "t",
    started_ms,
    duration_ms,
    outcome: "ok",
    is_empty: false,
    response_units: 1,
    args_hash: "0123456789ab",
    step: seq,
    repeat: 0,
    run: 1,
    run_steps: 1,
    run_clean: true,
    link: null,
    link_behind: null,
    reworded_probability: 0,
    crowded: false,
    settled: true,
    surface_id: null,
    ...more,
  };
}

describe("the tape", () => {
  it("keeps order, and makes what lasts longer wider", () => {
    const { lanes } = layoutTape([call(0, 10), call(100, 1000), call(2000, 100)], 0);
    const [a, b, c] = lanes[0]?.calls ?? [];
    expect(a?.x).toBeLessThan(b?.x ?? 0);
    expect(b?.x).toBeLessThan(c?.x ?? 0);
    expect(b?.width).toBeGreaterThan(c?.width ?? 0);
    expect(c?.width).toBeGreaterThan(a?.width ?? 0);
  });

  it("draws nothing over a neighbour, however close or parallel", () => {
    const calls = [call(0, 0), call(0, 0), call(1, 50), call(2, 3), call(3, 400), call(52, 1), call(53, 1)];
    const { lanes } = layoutTape(calls, 0);
    const all = lanes[0]?.calls ?? [];
    expect(all).toHaveLength(calls.length);
    for (const [i, one] of all.entries()) {
      for (const other of all.slice(i + 1)) {
        if (one.row === other.row) expect(other.x).toBeGreaterThanOrEqual(one.x + one.width);
      }
    }
  });

  it("cuts long idle stretches to one width, and says how long they were", () => {
    const short = layoutTape([call(0, 10), call(5_000, 10)], 0);
    const long = layoutTape([call(0, 10), call(86_400_000, 10)], 0);
    expect(short.width).toBe(long.width);
    expect(long.gaps.map((gap) => gap.ms)).toEqual([86_399_990]);
  });

  it("does not take a long call for idleness", () => {
    expect(layoutTape([call(0, 60_000), call(30_000, 5)], 0).gaps).toEqual([]);
  });

  it("joins a linked step to the last call of the step before it in its run, once", () => {
    const first = [call(0, 10, { step: 1 }), call(0, 30, { step: 1 })];
    const other = call(40, 5, { step: 2, run: 2, tool: "u" });
    const second = [call(100, 5, { step: 3, link: "retry" }), call(101, 5, { step: 3, link: "retry" })];
    const { arcs } = layoutTape([...first, other, ...second], 0);
    expect(arcs).toHaveLength(1);
    expect(arcs[0]?.kind).toBe("retry");
    expect(arcs[0]?.from.call).toBe(first[1]);
    expect(arcs[0]?.to.call).toBe(second[0]);
  });

  it("gives each tool a lane and fills the room there is", () => {
    const layout = layoutTape([call(0, 5), call(10, 5, { tool: "u" })], 900);
    expect(layout.lanes.map((lane) => lane.tool)).toEqual(["t", "u"]);
    expect(layout.width).toBe(900);
    expect(layoutTape([], 900).lanes).toEqual([]);
  });

  it("lays out five thousand calls", () => {
    const calls = Array.from({ length: 5000 }, (_, i) =>
      call(i * 700, 50 + (i % 90) * 40, { tool: `t${String(i % 12)}` }),
    );
    const layout = layoutTape(calls, 1000);
    expect(layout.lanes).toHaveLength(12);
    expect(layout.lanes.reduce((sum, lane) => sum + lane.calls.length, 0)).toBe(5000);
  });
});
