/** How figures are written. Every function takes what REST gave and shows "–" for null: unknown is never 0. */

export const UNKNOWN = "–";

/** Holds a number and its unit on one line. */
const NB = "\u00A0";

const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const compactNumber = new Intl.NumberFormat("en-US", { notation: "compact", maximumSignificantDigits: 3 });

type Maybe = number | null | undefined;

/** 12,345 */
export function count(value: Maybe): string {
  return value == null ? UNKNOWN : whole.format(value);
}

/** 12,345 up to six digits, then 1.23M. */
export function shortCount(value: Maybe): string {
  if (value == null) return UNKNOWN;
  return Math.abs(value) < 1_000_000 ? whole.format(value) : compactNumber.format(value);
}

/** 980, 12.3K, 1.23M */
export function compact(value: Maybe): string {
  if (value == null) return UNKNOWN;
  return Math.abs(value) < 1000 ? whole.format(value) : compactNumber.format(value);
}

/** A share between 0 and 1 as a percentage. Never rounds a few to none, nor most to all. */
export function percent(share: Maybe, digits = 1): string {
  if (share == null) return UNKNOWN;
  const least = 10 ** -digits;
  const value = share * 100;
  if (value > 0 && value < least) return `<${least.toFixed(digits)}%`;
  if (value < 100 && value > 100 - least) return `>${(100 - least).toFixed(digits)}%`;
  const text = value.toFixed(digits);
  return `${Number(text) === 100 ? "100" : Number(text) === 0 ? "0" : text}%`;
}

/** A difference of two shares in percentage points: +1.2 pp */
export function points(difference: Maybe, unit = `${NB}pp`): string {
  return difference == null ? UNKNOWN : `${signed(difference * 100, 1)}${unit}`;
}

/** A relative change: +12% */
export function relative(change: Maybe): string {
  if (change == null) return UNKNOWN;
  return `${signed(change * 100, Math.abs(change) < 0.095 ? 1 : 0)}%`;
}

function signed(value: number, digits: number): string {
  const text = Math.abs(value).toFixed(digits);
  if (Number(text) === 0) return "±0";
  return `${value < 0 ? "−" : "+"}${text}`;
}

/** Milliseconds in the unit that reads best: 840 ms, 1.24 s, 3 min 12 s */
export function duration(ms: Maybe): string {
  if (ms == null) return UNKNOWN;
  // Producers round down: nought is less than one, not nothing.
  if (ms < 1) return `<1${NB}ms`;
  if (ms < 1000) return `${whole.format(ms)}${NB}ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(2)}${NB}s`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)}${NB}s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)}${NB}min ${seconds % 60}${NB}s`;
  return `${Math.floor(seconds / 3600)}${NB}h ${Math.floor((seconds % 3600) / 60)}${NB}min`;
}

/** US dollars, with two significant digits when it is less than ten cents. */
export function usd(value: Maybe): string {
  if (value == null) return UNKNOWN;
  if (value === 0) return "$0";
  if (value >= 1000) return `$${whole.format(value)}`;
  if (value >= 0.1) return `$${value.toFixed(2)}`;
  const digits = Math.min(8, 1 - Math.floor(Math.log10(value)));
  return `$${value.toFixed(digits)}`;
}

const units = new Intl.RelativeTimeFormat("en", { numeric: "always", style: "narrow" });

/** "12s ago", from two times in milliseconds. */
export function ago(then: Maybe, now: number): string {
  if (then == null) return "never";
  const seconds = Math.round((then - now) / 1000);
  const size = Math.abs(seconds);
  if (size < 2) return "just now";
  if (size < 100) return units.format(seconds, "second");
  if (size < 5400) return units.format(Math.round(seconds / 60), "minute");
  if (size < 129_600) return units.format(Math.round(seconds / 3600), "hour");
  return units.format(Math.round(seconds / 86_400), "day");
}

/** "1 call", "2 calls" */
export function plural(n: number, one: string, many = `${one}s`): string {
  return `${whole.format(n)} ${n === 1 ? one : many}`;
}
