/** Answers of REST for tests, complete enough for the types and no more. */
import type {
  Confidence,
  Figures,
  FirstCall,
  Me,
  Outcomes,
  Overview,
  Server,
  ToolReport,
  ToolRow,
} from "@/api/generated/schema";

const DAY = 86_400_000;
export const NOW = Date.UTC(2026, 10, 30, 12);

export const me: Me = {
  user: { id: "usr_1", email: "owner@example.org", created_ms: 0 },
  memberships: [
    { account: { id: "acc_1", name: "Acme", usd_per_million_tokens: 3, created_ms: 0 }, role: "owner" },
  ],
  via: "cookie",
  scopes: ["read", "write"],
};

export const server: Server = {
  id: "srv_1",
  account_id: "acc_1",
  name: "orders",
  retention_days: null,
  created_ms: 0,
};

export const firstCall: FirstCall = {
  first_call_success: 0.8,
  interval: { low: 0.77, high: 0.83 },
  strict: 0.6,
  lenient: 0.9,
  settled_calls: 100,
  good_calls: 90,
  sequence_calls: 100,
  strict_calls: 60,
  retried_calls: 5,
  followed_calls: 25,
  failed_calls: 7,
  empty_calls: 3,
  estimated_calls: 100,
  expected_reworded: 10,
};

const outcomes: Outcomes = { ok: 90, empty: 3, bad_args: 4, tool_error: 2, crashed: 1 };

export const figures: Figures = {
  calls: 100,
  outcomes,
  settled_outcomes: outcomes,
  error_rate: 0.07,
  empty_rate: 0.03,
  first_call: firstCall,
  latency: { p50_ms: 100, p90_ms: 400, p95_ms: 500, p99_ms: 900 },
  response: { units: 100_000, mean_units: 1000, max_units: 5000, tokens: 25_000, cost_usd: 0.075 },
  sessions: 9,
};

export const confidence: Confidence = {
  calls: 100,
  known_client_calls: 95,
  known_client_share: 0.95,
  crowded_calls: 0,
  crowded_share: 0,
  rejected_payloads: 0,
  accepted_payloads: 120,
  rejected_share: 0,
  sessions: 9,
  sessions_without_startup: 0,
  newest_payload_ms: NOW,
  newest_payload_age_ms: 2000,
};

const range = { from_ms: NOW - 7 * DAY, to_ms: NOW };
const rangeBefore = { from_ms: NOW - 14 * DAY, to_ms: NOW - 7 * DAY };

export const overview: Overview = {
  range,
  range_before: rangeBefore,
  settled_as_of_ms: NOW,
  figures,
  before: figures,
  session_cost: { response_usd: 0.01, schema_usd: 0.002, total_usd: 0.012 },
  session_cost_before: { response_usd: 0.01, schema_usd: 0.002, total_usd: 0.012 },
  series: [],
  clients: [],
  confidence,
};

export const toolRow: ToolRow = {
  tool: "search_orders",
  status: "called",
  mode: null,
  figures,
  calls_before: 90,
  first_call_before: firstCall,
  clients: [],
  registered: true,
  schema_units: 800,
  schema_tokens: 200,
  policy: null,
  sessions_registered: 9,
  schema_cost_usd: 0.0054,
};

export const tools: ToolReport = {
  range,
  range_before: rangeBefore,
  settled_as_of_ms: NOW,
  tools: [toolRow],
  surface_tools: 1,
  surface_units: 800,
  surface_tokens: 200,
  confidence,
};

export const insights = { range, settled_as_of_ms: NOW, insights: [] };
