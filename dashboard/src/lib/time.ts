/** Moments and stretches of time as text, in one time zone: the one that REST cut the days by. */

const cache = new Map<string, Intl.DateTimeFormat>();

function formatter(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = zone + JSON.stringify(options);
  let made = cache.get(key);
  if (!made) {
    made = new Intl.DateTimeFormat("en-GB", { timeZone: zone, hourCycle: "h23", ...options });
    cache.set(key, made);
  }
  return made;
}

const ZONE = "UTC";
const HOUR = 3_600_000;

/** 24 Nov 2026 */
export function day(ms: number): string {
  return formatter(ZONE, { day: "numeric", month: "short", year: "numeric" }).format(ms);
}

/** 24 Nov, 13:05 */
export function moment(ms: number): string {
  return formatter(ZONE, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" }).format(ms);
}

/** 13:05:09 */
export function clock(ms: number): string {
  return formatter(ZONE, { hour: "2-digit", minute: "2-digit", second: "2-digit" }).format(ms);
}

/** 13:05:09.123 */
export function clockMs(ms: number): string {
  return formatter(ZONE, {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    fractionalSecondDigits: 3,
  }).format(ms);
}

/** 24 Nov 2026, 13:05:09 UTC: nothing left out. */
export function full(ms: number): string {
  return `${day(ms)}, ${clock(ms)} ${ZONE}`;
}

/** 2026-11-24T13:05:09.123Z, for machines. */
export function iso(ms: number): string {
  return new Date(ms).toISOString();
}

/** One point of a series: a day ("Tue 24 Nov"), an hour ("24 Nov, 13:00"), or a longer stretch. */
export function stretch(start: number, end: number): string {
  if (end - start <= 2 * HOUR) return moment(start);
  if (end - start <= 26 * HOUR) {
    return formatter(ZONE, { weekday: "short", day: "numeric", month: "short" }).format(start);
  }
  return `${shortDay(start)} – ${shortDay(end - 1)}`;
}

/** The same on an axis, where room is short. */
export function axisTick(start: number, end: number): string {
  if (end - start > 2 * HOUR) return shortDay(start);
  return formatter(ZONE, { hour: "2-digit", minute: "2-digit" }).format(start);
}

/** A whole range: "24 – 30 Nov 2026" */
export function range(from: number, to: number): string {
  return formatter(ZONE, { day: "numeric", month: "short", year: "numeric" }).formatRange(from, to - 1);
}

function shortDay(ms: number): string {
  return formatter(ZONE, { day: "numeric", month: "short" }).format(ms);
}

/** A date of the wire (YYYY-MM-DD) of a moment. */
export function isoDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
