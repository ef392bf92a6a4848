import { describe, expect, it } from "vitest";
import { ago, count, duration, percent, plural, points, relative, usd } from "./format";

/** With ordinary spaces, which are easier to read in a test. */
const plain = (text: string): string => text.replaceAll("\u00A0", " ");

describe("figures", () => {
  it("shows the unknown as unknown, never as nought", () => {
    for (const write of [count, percent, duration, usd, points, relative]) {
      expect(write(null)).toBe("–");
      expect(write(undefined)).toBe("–");
      expect(write(0)).not.toBe("–");
    }
  });

  it("never rounds a few to none, nor most to all", () => {
    expect(percent(0.0001)).toBe("<0.1%");
    expect(percent(0.9999)).toBe(">99.9%");
    expect(percent(0)).toBe("0%");
    expect(percent(1)).toBe("100%");
    expect(percent(0.7345)).toBe("73.5%");
    expect(percent(0.004, 0)).toBe("<1%");
  });

  it("chooses the unit of a duration", () => {
    expect(plain(duration(0))).toBe("<1 ms");
    expect(plain(duration(999))).toBe("999 ms");
    expect(plain(duration(1240))).toBe("1.24 s");
    expect(plain(duration(59_940))).toBe("59.9 s");
    expect(plain(duration(192_000))).toBe("3 min 12 s");
    expect(plain(duration(7_500_000))).toBe("2 h 5 min");
  });

  it("keeps two digits of small money", () => {
    expect(usd(0.000123)).toBe("$0.00012");
    expect(usd(0.042)).toBe("$0.042");
    expect(usd(1.5)).toBe("$1.50");
    expect(usd(12345.6)).toBe("$12,346");
    expect(usd(0)).toBe("$0");
  });

  it("signs a change", () => {
    expect(plain(points(0.0123))).toBe("+1.2 pp");
    expect(plain(points(-0.2))).toBe("−20.0 pp");
    expect(relative(-0.5)).toBe("−50%");
    expect(relative(0.0123)).toBe("+1.2%");
    expect(relative(0.00001)).toBe("±0%");
  });

  it("says how long ago", () => {
    expect(ago(1000, 1500)).toBe("just now");
    expect(ago(0, 12_000)).toBe("12s ago");
    expect(ago(0, 600_000)).toBe("10m ago");
    expect(ago(null, 0)).toBe("never");
  });

  it("counts in words", () => {
    expect(plural(1, "call")).toBe("1 call");
    expect(plural(2000, "call")).toBe("2,000 calls");
  });
});
