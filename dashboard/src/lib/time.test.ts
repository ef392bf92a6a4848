import { expect, it } from "vitest";
import { axisTick, clockMs, full, range, stretch } from "./time";

const DAY = 86_400_000;
const AT = Date.UTC(2026, 10, 24, 13, 5, 9, 123);

it("writes moments and stretches in UTC", () => {
  expect(full(AT)).toBe("24 Nov 2026, 13:05:09 UTC");
  expect(clockMs(AT)).toBe("13:05:09.123");
  const midnight = Date.UTC(2026, 10, 24);
  expect(stretch(midnight, midnight + DAY)).toBe("Tue 24 Nov");
  expect(stretch(midnight, midnight + DAY / 24)).toBe("24 Nov, 00:00");
  expect(stretch(midnight, midnight + 7 * DAY)).toBe("24 Nov – 30 Nov");
  expect(axisTick(midnight, midnight + DAY)).toBe("24 Nov");
  expect(axisTick(midnight + DAY / 2, midnight + DAY / 2 + DAY / 24)).toBe("12:00");
  // Versions of ICU space the dash differently.
  expect(range(midnight, midnight + 7 * DAY).replaceAll(/\s*–\s*/gu, "–")).toBe("24–30 Nov 2026");
});
