import { describe, expect, it } from "vitest";
import { parseSearch, readFilters, readSort, stringifySearch } from "./search";

describe("the address", () => {
  it("survives a round trip, whatever the names hold", () => {
    const filters = { last_days: 30, tools: ["a,b", "c&d=e", "🚀 café", "[1]"], clients: ["x"] };
    expect(readFilters(parseSearch(stringifySearch(filters)))).toEqual(filters);
    const range = { from: "2026-01-01", to: "2026-01-31" };
    expect(readFilters(parseSearch(stringifySearch(range)))).toEqual(range);
  });

  it("forgets what is malformed", () => {
    expect(readFilters({ last_days: "0" })).toEqual({});
    expect(readFilters({ last_days: "1e9" })).toEqual({});
    expect(readFilters({ from: "2026-02-01", to: "2026-01-01" })).toEqual({});
    expect(readFilters({ from: "2026-13-45", to: "2026-13-46" })).toEqual({});
    expect(readFilters({ from: "2026-01-01", last_days: "7" })).toEqual({ last_days: 7 });
    expect(readFilters({ tools: ["", "x", "x"] })).toEqual({ tools: ["x"] });
    expect(readSort({ sort: "-calls" })).toEqual({ sort: "-calls" });
    expect(readSort({ sort: "a b" })).toEqual({});
  });
});
