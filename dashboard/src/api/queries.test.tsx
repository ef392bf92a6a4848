import { expect, it } from "vitest";
import { exportUrl } from "./queries";

it("exports what the page shows: its range, tools and clients, each name once", () => {
  const url = new URL(
    exportUrl("srv_1", { last_days: 30, tools: ["a&b", "مرحبا"], clients: ["cursor"] }, "parquet"),
    "http://host",
  );
  expect(url.pathname).toBe("/v1/servers/srv_1/export");
  expect([...url.searchParams]).toEqual([
    ["format", "parquet"],
    ["last_days", "30"],
    ["tools", "a&b"],
    ["tools", "مرحبا"],
    ["clients", "cursor"],
  ]);
  const days = exportUrl("srv_1", { from: "2026-11-01", to: "2026-11-30" }, "csv");
  expect(days).toBe("/v1/servers/srv_1/export?format=csv&from=2026-11-01&to=2026-11-30");
});
