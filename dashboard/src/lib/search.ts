/**
 * What the address says: range, tool and client filters, sorting. The address is the only state, so that
 * back, reload and a copied link all show the same.
 */

/** Range and filters of a server's pages, as REST names them. */
export interface Filters {
  /** Whole days up to now. */
  last_days?: number;
  /** First day, YYYY-MM-DD; with `to`, instead of `last_days`. */
  from?: string;
  /** Last day, inclusive. */
  to?: string;
  tools?: string[];
  clients?: string[];
}

export const DEFAULT_DAYS = 7;
export const MAX_DAYS = 3650;

type Raw = Record<string, unknown>;

const DAY = /^\d{4}-\d{2}-\d{2}$/u;

/** Keeps what is well formed and forgets the rest: a broken link still opens. */
export function readFilters(raw: Raw): Filters {
  const filters: Filters = {};
  const [from, to, days] = [text(raw["from"]), text(raw["to"]), Number(text(raw["last_days"]))];
  if (from && to && isDay(from) && isDay(to) && from <= to) {
    filters.from = from;
    filters.to = to;
  } else if (Number.isInteger(days) && days >= 1 && days <= MAX_DAYS) {
    filters.last_days = days;
  }
  const [tools, clients] = [list(raw["tools"]), list(raw["clients"])];
  if (tools) filters.tools = tools;
  if (clients) filters.clients = clients;
  return filters;
}

/** A sorted column: `calls` ascending, `-calls` descending. */
export function readSort(raw: Raw): { sort?: string } {
  const sort = text(raw["sort"]);
  return sort && /^-?[a-z0-9_]{1,40}$/u.test(sort) ? { sort } : {};
}

/** A search text: repeated keys are lists, everything is text. */
export function parseSearch(search: string): Raw {
  const found: Record<string, string | string[]> = {};
  for (const [key, value] of new URLSearchParams(search)) {
    const before = found[key];
    if (before === undefined) found[key] = value;
    else found[key] = Array.isArray(before) ? [...before, value] : [before, value];
  }
  return found;
}

/** The reverse of {@link parseSearch}. */
export function stringifySearch(search: Raw): string {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(search)) {
    for (const one of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (typeof one === "string" || typeof one === "number" || typeof one === "boolean") {
        params.append(key, String(one));
      }
    }
  }
  const written = params.toString();
  return written && `?${written}`;
}

function text(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" ? String(value) : undefined;
}

function list(value: unknown): string[] | undefined {
  const all = (Array.isArray(value) ? (value as unknown[]) : [value]).filter(
    (one): one is string => typeof one === "string" && one !== "" && one.length <= 400,
  );
  return all.length > 0 ? [...new Set(all)] : undefined;
}

function isDay(value: string): boolean {
  return DAY.test(value) && !Number.isNaN(Date.parse(`${value}T00:00:00Z`));
}
