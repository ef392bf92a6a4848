/**
 * Two weeks of one server's life, as producers would have sent them: the demo is minutes old, and neither a trend nor
 * a comparison with the week before can be seen on it. The same seed makes the same weeks.
 */
type Payload = Record<string, unknown>;

interface Tool {
  name: string;
  /** Size of its entry in the list, and of a usual answer, in UTF-16 units. */
  entry: number;
  answer: number;
  /** Usual duration in milliseconds. */
  ms: number;
  /** How often it is chosen. */
  weight: number;
  /** Chances of an empty answer, of a tool error, and of a rewording after a good answer. */
  empty?: number;
  error?: number;
  reworded?: number;
  policy?: string;
}

const TOOLS: readonly Tool[] = [
  { name: "search_pages", entry: 1480, answer: 6200, ms: 310, weight: 30, empty: 0.05, reworded: 0.34 },
  { name: "get_page", entry: 720, answer: 21_000, ms: 95, weight: 26, error: 0.02 },
  { name: "list_spaces", entry: 410, answer: 1900, ms: 40, weight: 9 },
  { name: "create_ticket", entry: 2650, answer: 640, ms: 420, weight: 16, error: 0.03 },
  { name: "get_ticket", entry: 560, answer: 1400, ms: 70, weight: 13, error: 0.01 },
  { name: "find_owner", entry: 690, answer: 380, ms: 150, weight: 8, empty: 0.24 },
  { name: "export_space", entry: 880, answer: 9400, ms: 2900, weight: 4, error: 0.05 },
  { name: "archive_page", entry: 1210, answer: 0, ms: 0, weight: 0 },
  { name: "merge_pages", entry: 1120, answer: 0, ms: 0, weight: 0, policy: "authorization" },
];

const CLIENTS: readonly (readonly [name: string, weight: number, slips: number])[] = [
  ["claude-desktop", 46, 0.04],
  ["cursor", 27, 0.7],
  ["vscode", 17, 0.08],
  ["zed", 10, 0.06],
];

const DAY = 86_400_000;

/** Numbers in [0, 1) that look random and are the same each time (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function pick<T>(random: () => number, items: readonly T[], weight: (item: T) => number): T {
  let left = random() * items.reduce((sum, item) => sum + weight(item), 0);
  const found = items.find((item) => (left -= weight(item)) < 0) ?? items[0];
  if (found === undefined) throw new Error("nothing to pick from");
  return found;
}

/** Startups and calls of the two weeks before `now`, in batches that ingest takes. */
export function history(now: number, seed = 7): Payload[][] {
  const random = randomFrom(seed);
  const payloads: Payload[] = [];
  for (let day = 13; day >= 0; day -= 1) {
    const start = Math.floor(now / DAY) * DAY - day * DAY;
    const isWeekend = [0, 6].includes(new Date(start).getUTCDay());
    const sessions = Math.round((isWeekend ? 9 : 24) * (1.25 - day * 0.035) * (0.85 + random() * 0.3));
    // Today has what fits into it so far; no session reaches into the future.
    const span = Math.min(DAY, now - 1_800_000 - start);
    for (let n = 0; n < Math.ceil((sessions * span) / DAY); n += 1) {
      // Most of it in the middle of the day.
      const at = start + span * (0.25 + 0.25 * (random() + random()));
      payloads.push(...session(random, `s_${String(day)}_${String(n)}`, at, day));
    }
  }
  return Array.from({ length: Math.ceil(payloads.length / 500) }, (_, i) =>
    payloads.slice(i * 500, (i + 1) * 500),
  );
}

function session(random: () => number, id: string, begin: number, day: number): Payload[] {
  const [client, , slips] = pick(random, CLIENTS, ([, weight]) => weight);
  const hash = (): string =>
    Math.floor(random() * 2 ** 44 + 1)
      .toString(16)
      .padStart(12, "0");
  let at = begin;
  const payloads: Payload[] = [startup(id, client)];
  const call = (tool: Tool, outcome: string, isEmpty = false): void => {
    const ms = Math.round(tool.ms * (0.5 + random() * random() * 4));
    const size = outcome === "ok" && !isEmpty ? tool.answer * (0.5 + random()) : 120;
    payloads.push({
      v: 1,
      type: "call",
      session_id: id,
      client_name: client,
      tool_name: tool.name,
      started_at: new Date(at).toISOString(),
      duration_ms: ms,
      outcome,
      response_bytes: Math.round(size),
      is_empty: isEmpty,
      args_hash: hash(),
    });
    at += ms + 2_000 + random() * 9_000;
  };
  for (let left = 4 + Math.floor(random() * 9); left > 0; left -= 1) {
    const tool = pick(random, TOOLS, ({ weight }) => weight);
    // The weaker client leaves a field out, and learns it from the error.
    if (tool.name === "create_ticket" && random() < slips) call(tool, "bad_args");
    const failed = random() < (tool.error ?? 0);
    const empty = !failed && random() < (tool.empty ?? 0);
    call(tool, failed ? (random() < 0.8 ? "tool_error" : "crashed") : "ok", empty);
    // Its wording was mended a week ago: fewer second tries since.
    const reworded = (tool.reworded ?? 0) * (day < 7 ? 0.8 : 1.25);
    while (random() < reworded) call(tool, "ok", random() < 0.1);
    at += random() < 0.3 ? 45_000 + random() * 120_000 : 0;
  }
  if (random() < 0.05) call({ name: "open_page", entry: 0, answer: 300, ms: 20, weight: 0 }, "bad_args");
  return payloads;
}

function startup(id: string, client: string): Payload {
  return {
    v: 1,
    type: "startup",
    session_id: id,
    client_name: client,
    sdk: "mcpulse-typescript/0.1.0",
    mcp_sdk_version: "1.29.0",
    protocol_version: "2025-11-25",
    transport: client === "claude-desktop" ? "stdio" : "http",
    tools: TOOLS.map(({ name, entry, policy }) => ({
      name,
      schema_bytes: entry,
      ...(policy !== undefined && { policy }),
    })),
  };
}
