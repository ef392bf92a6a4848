import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { OutcomeBar } from "./OutcomeBar";
import { Bounds } from "./Bounds";
import { placeLabels } from "./BoundsTrend";

it("says an outcome bar in words, and leaves out what did not happen", () => {
  render(<OutcomeBar slices={{ ok: 1200, empty: 0, bad_args: 3, tool_error: 0, crashed: 1 }} />);
  expect(screen.getByRole("img", { name: "ok 1,200, bad arguments 3, crashed 1" }).children).toHaveLength(3);
});

it("draws nothing for no calls, and says so", () => {
  render(<OutcomeBar slices={{ ok: 0, empty: 0, bad_args: 0, tool_error: 0, crashed: 0 }} />);
  expect(screen.getByRole("img", { name: "no calls" }).children).toHaveLength(0);
});

it("draws bounds to scale, and only what is known", () => {
  const { container, rerender } = render(
    <Bounds strict={0.25} estimate={0.5} lenient={0.75} low={0.4} high={0.6} width={104} />,
  );
  const rects = [...container.querySelectorAll("rect")].map((rect) => [
    Number(rect.getAttribute("x")),
    Number(rect.getAttribute("width")),
  ]);
  expect(rects).toEqual([
    [27, 50],
    [42, 20],
    [50.75, 2.5],
  ]);
  rerender(<Bounds strict={null} estimate={null} lenient={null} width={104} />);
  expect(container.querySelectorAll("rect")).toHaveLength(0);
});

it("keeps the labels of two bounds apart and inside", () => {
  const [upper, lower] = placeLabels(7, 8, 92);
  expect(lower - upper).toBeGreaterThanOrEqual(15);
  expect(upper).toBeGreaterThanOrEqual(7);
  expect(placeLabels(20, 60, 92)).toEqual([20, 60]);
  const [, low] = placeLabels(84, 85, 92);
  expect(low).toBeLessThanOrEqual(85);
});
