import { render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { Insight, Point } from "@/api/types";
import { Sparkline } from "@/charts/Sparkline";
import { firstCall } from "@/test/fixtures";
import { clientsBehind } from "@/pages/tools/columns";
import { ClientDots, spread } from "@/ui/ClientDots";
import { around } from "./Insights";
import { trend } from "./points";

const point = (start_ms: number, calls: number): Point => ({
  start_ms,
  end_ms: start_ms + 10,
  calls,
  outcomes: { ok: calls, empty: 0, bad_args: 0, tool_error: 0, crashed: 0 },
  settled_calls: calls,
  response_units: 0,
  cost_usd: 0,
  sessions_started: 0,
});

const client = (name: string, share: number, calls: number) => ({
  client: name,
  calls,
  first_call: {
    ...firstCall,
    first_call_success: share,
    interval: { low: share - 0.05, high: share + 0.05 },
  },
});

it.each([
  ["get", "get was never called", "", " was never called"],
  ["get", "3.0% of the calls of get are slow", "3.0% of the calls of ", " are slow"],
  // A part of another word is not the name.
  ["a", "an answer of a, b and c", "an answer of ", ", b and c"],
  ["(x", "a tool of another name", "", " a tool of another name"],
])("puts the link where the sentence names the tool: %s", (tool, message, before, after) => {
  expect(around(tool, message)).toEqual([before, after]);
});

describe("a trend", () => {
  const points = [point(0, 5), point(10, 7), point(20, 1), point(30, 0)];

  it("leaves blank what has not begun, and tells what is not over", () => {
    expect(trend(points, 25, (p) => p.calls)).toEqual({ values: [5, 7, 1, null], openFrom: 2 });
    expect(trend(points, 99, (p) => p.calls)).toEqual({ values: [5, 7, 1, 0], openFrom: 4 });
    expect(trend(points, 25, (p) => p.p95_ms).values).toEqual([null, null, null, null]);
  });

  it("draws what is not over yet apart from what is", () => {
    const { container, rerender } = render(<Sparkline {...trend(points, 25, (p) => p.calls)} />);
    expect(container.querySelectorAll(".sparkOpen, .sparkHollow")).toHaveLength(2);
    rerender(<Sparkline {...trend(points, 99, (p) => p.calls)} />);
    expect(container.querySelectorAll(".sparkOpen, .sparkHollow")).toHaveLength(0);
  });
});

it("names the client that REST says is behind, and draws a dot for each", () => {
  const clients = [client("good", 0.9, 500), client("few", 0.1, 5), client("cursor", 0.4, 50)];
  const { container, rerender } = render(<ClientDots value={firstCall} clients={clients} behind="cursor" />);
  expect(container.querySelector(".behind")?.textContent).toBe("cursor 40%");
  expect(container.querySelectorAll("circle")).toHaveLength(3);
  expect(container.querySelectorAll(".hollow")).toHaveLength(1);
  expect(
    screen.getByText(/by client: good 90\.0%, few 10\.0%, cursor 40\.0%; cursor is behind/u),
  ).toBeTruthy();
  rerender(<ClientDots value={firstCall} clients={clients} />);
  expect(container.querySelector(".behind")).toBeNull();
});

const insight = (tool: string, one: string, value: number, kind = "client_behind"): Insight =>
  ({ kind, tool, client: one, value }) as Insight;

it("takes the worst of several clients that are behind with a tool", () => {
  const behind = clientsBehind([
    insight("a", "x", 0.4),
    insight("a", "y", 0.2),
    insight("b", "z", 0.1, "low_first_call_success"),
  ]);
  expect([...behind]).toEqual([["a", "y"]]);
});

it("moves dots apart that would cover each other", () => {
  expect(spread([10, 50])).toEqual([0, 0]);
  expect(new Set(spread([10, 10, 11]))).toHaveProperty("size", 3);
});
