/** The payloads of wire format 1, and how values are made to fit it. */

export type Outcome = "ok" | "bad_args" | "tool_error" | "crashed";

/** Whether a tool declares that it needs authorisation or a verified identity. */
export type Policy = "none" | "authorization" | "identity";

/**
 * RFC 3339 in UTC with three decimals. Until it is written as JSON it may be a `Date`, which JSON
 * writes just so: formatting it is no work for the path of a call.
 */
export type Timestamp = string | Date;

export interface CallPayload {
  readonly v: 1;
  readonly type: "call";
  readonly session_id: string;
  readonly client_name: string;
  readonly tool_name: string;
  readonly started_at: Timestamp;
  readonly duration_ms: number;
  readonly outcome: Outcome;
  readonly response_bytes: number;
  readonly is_empty: boolean;
  readonly args_hash: string;
}

export interface StartupTool {
  readonly name: string;
  readonly schema_bytes: number;
  readonly schema_hash?: string;
  readonly description_hash?: string;
  readonly description_norm?: string;
  readonly policy?: Policy;
}

export interface DeclaredAgreement {
  readonly field: string;
  readonly tools: readonly string[];
}

export interface StartupPayload {
  readonly v: 1;
  readonly type: "startup";
  readonly session_id: string;
  readonly client_name: string;
  readonly tools: readonly StartupTool[];
  readonly sdk?: string;
  readonly mcp_sdk_version?: string;
  readonly protocol_version?: string;
  readonly transport?: "stdio" | "http";
  readonly agreements?: readonly DeclaredAgreement[];
}

export interface AgreementPayload {
  readonly v: 1;
  readonly type: "agreement";
  readonly session_id: string;
  readonly field: string;
  readonly tool_a: string;
  readonly tool_b: string;
  readonly agreed: boolean;
  readonly checked_at: Timestamp;
  readonly window_ms: number;
}

export type Payload = CallPayload | StartupPayload | AgreementPayload;

/** Limits of the wire format: lengths in code points, durations in milliseconds. */
export const LIMITS = {
  clientName: 128,
  toolName: 200,
  field: 200,
  version: 64,
  tools: 500,
  agreements: 100,
  agreementTools: 20,
  durationMs: 86_400_000,
  units: 2_147_483_647,
} as const;

/** A name that fits: lone surrogates replaced, cut to `limit` code points, never empty. */
export function fitName(name: unknown, limit: number): string {
  if (typeof name !== "string" || name === "") return "unknown";
  const text = name.isWellFormed() ? name : name.toWellFormed();
  if (text.length <= limit) return text;
  // A code point is one or two code units, so this slice holds all that can be kept.
  const points = Array.from(text.slice(0, limit * 2));
  return points.length <= limit ? points.join("") : points.slice(0, limit).join("");
}

/** An optional short text that fits, or `undefined` when there is none. */
export function fitVersion(text: unknown): string | undefined {
  return typeof text === "string" && text !== "" ? fitName(text, LIMITS.version) : undefined;
}

/** A count or a duration that fits: an integer from 0 to `limit`, rounded down. */
export function fitInteger(value: number, limit: number): number {
  if (!(value > 0)) return 0;
  return value >= limit ? limit : Math.floor(value);
}
