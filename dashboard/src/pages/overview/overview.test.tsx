import { render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { Point } from "@/api/types";
import { Sparkline } from "@/charts/Sparkline";
import { firstCall } from "@/test/fixtures";
import { ClientDots } from "@/ui/ClientDots";
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

it("names the client that gets a tool wrong, once it has called often enough", () => {
  const { container } = render(
    <ClientDots
      value={firstCall}
      clients={[client("good", 0.9, 500), client("few", 0.1, 5), client("cursor", 0.4, 50)]}
    />,
  );
  expect(container.querySelector(".behind")?.textContent).toBe("cursor 40%");
  expect(screen.getByText(/by client: good 90\.0%, few 10\.0%, cursor 40\.0%/u)).toBeTruthy();
});
