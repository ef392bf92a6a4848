import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import type { Change, ChangeReport, ToolImpact } from "@/api/types";
import { toCsv } from "@/lib/csv";
import { open } from "@/test/app";
import { firstCall, NOW, server } from "@/test/fixtures";
import { COMPARISONS, comparisons } from "./ChangeItem";

const impact = (tool: string): ToolImpact => ({
  tool,
  before: { settled_calls: 40, error_rate: 0.1, first_call: { ...firstCall, strict: 0.3 } },
  after: { settled_calls: 60, error_rate: 0.1, first_call: { ...firstCall, strict: 0.5 } },
  strict: { difference: 0.2, interval: { low: 0.05, high: 0.35 }, verdict: "better" },
  without_error: { difference: 0, interval: { low: -0.1, high: 0.1 }, verdict: "no_difference" },
});

const change: Change = {
  seq: 2,
  at_ms: NOW,
  kind: "surface",
  surface_id: 2,
  added: [],
  removed: ["gone"],
  renamed: [],
  schema_changed: [],
  wording_changed: ["search_orders"],
  policy_changed: [],
  schema_units_difference: 169,
  impact: [impact("search_orders")],
};

const report: ChangeReport = {
  range: { from_ms: NOW - 1000, to_ms: NOW },
  compared_from_ms: NOW - 1000,
  settled_as_of_ms: NOW,
  changes: [change],
  truncated: true,
  surfaces: [],
};

it("says whether a change helped by strict, with its interval, and that there were more changes", async () => {
  open("/s/srv_1/changes", {
    "GET /v1/servers/srv_1": server,
    "GET /v1/servers/srv_1/changes": report,
  });
  expect(await screen.findByText("30.0% → 50.0%")).toBeTruthy();
  expect(screen.getByText("+20.0 pp better")).toBeTruthy();
  expect(screen.getByText(/\+5\.0 to \+35\.0/u)).toBeTruthy();
  expect(screen.getByText(/There were more: the newest 1 are shown/u)).toBeTruthy();
});

it("downloads every comparison, unrounded", () => {
  const rows = comparisons([change, { ...change, impact: [] }]);
  const cells = rows.map((row) => COMPARISONS.map((column) => column.csv?.(row)));
  const text = toCsv(
    COMPARISONS.map((column) => column.key),
    cells,
  );
  expect(text.trim().split(/\r?\n/u)).toHaveLength(2);
  expect(text).toContain("surface,search_orders,40,60,0.8,0.8,0.2,0.05,0.35,better,0,no_difference");
});
