/** What `watch()` takes, and what is made of it. */
import { platform } from "./platform.js";
import { fitName, LIMITS, type Policy } from "./wire/payloads.js";

/** One field that several tools report, to be compared when they do. */
export interface AgreementOptions {
  /** Tool name to the JSON Pointer (RFC 6901) of the value in that tool's structured content. */
  readonly tools: Readonly<Record<string, string>>;
  /** How old the other tool's value may be, in milliseconds, 1 to 86 400 000. Default 300 000. */
  readonly windowMs?: number;
  /** How far apart two numbers may be and still agree; absolute. Default 0. */
  readonly tolerance?: number;
}

export interface WatchOptions {
  /** The ingest key. Empty turns everything off. Default: `MCPULSE_KEY`. */
  readonly key?: string | undefined;
  /** Where MCPulse is. Default: `MCPULSE_ENDPOINT`, else `http://127.0.0.1:7077`. */
  readonly endpoint?: string | undefined;
  /** Default true. */
  readonly enabled?: boolean | undefined;
  /** Writes every payload sent, and every reason for not sending, to stderr. Default false. */
  readonly debug?: boolean | undefined;
  /** Tool name to whether it needs authorisation or a verified identity. */
  readonly policies?: Readonly<Record<string, Policy>> | undefined;
  /** Field name to the tools that report it. Off unless declared. */
  readonly agreements?: Readonly<Record<string, AgreementOptions>> | undefined;
  /**
   * What one session is: this process (the default), or, for HTTP servers with many users at
   * once, each conversation the protocol names with `Mcp-Session-Id`.
   */
  readonly sessions?: "process" | "conversation" | undefined;
}

export interface Agreement {
  readonly field: string;
  /** Tool name, as it fits the wire format, to JSON Pointer. */
  readonly tools: ReadonlyMap<string, string>;
  readonly windowMs: number;
  readonly tolerance: number;
}

export interface Settings {
  readonly key: string;
  readonly endpoint: string;
  readonly debug: boolean;
  readonly policies: ReadonlyMap<string, Policy>;
  readonly agreements: readonly Agreement[];
  readonly perConversation: boolean;
}

const DEFAULT_ENDPOINT = "http://127.0.0.1:7077";
const DEFAULT_WINDOW_MS = 300_000;
const POLICIES: readonly unknown[] = ["none", "authorization", "identity"];

/**
 * Reads the options. `complain` hears of every one that cannot be used, by name and rule and
 * never by value. Returns `undefined` when nothing is to be watched.
 */
export function readOptions(
  options: WatchOptions,
  complain: (reason: string) => void,
): Settings | undefined {
  const env = (name: string) => platform().env(name);
  if (options.enabled === false) return refuse("enabled is false");
  const key = text(options.key ?? env("MCPULSE_KEY")).trim();
  if (key === "") return refuse("no key: give one as `key` or MCPULSE_KEY");
  // An HTTP header can carry nothing else.
  if (!/^[\x21-\x7e]+$/.test(key)) return refuse("key must be printable ASCII without spaces");
  const endpoint = endpointOf(text(options.endpoint ?? env("MCPULSE_ENDPOINT")));
  if (endpoint === undefined) return refuse("endpoint must be an http or https URL");
  return {
    key,
    endpoint,
    debug: options.debug === true,
    policies: policiesOf(options.policies, complain),
    agreements: agreementsOf(options.agreements, complain),
    perConversation: options.sessions === "conversation",
  };

  function refuse(reason: string): undefined {
    complain(`off: ${reason}`);
    return undefined;
  }
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function endpointOf(given: string): string | undefined {
  const endpoint = given.trim().replace(/\/+$/, "") || DEFAULT_ENDPOINT;
  try {
    const { protocol } = new URL(endpoint);
    return protocol === "http:" || protocol === "https:" ? endpoint : undefined;
  } catch {
    return undefined;
  }
}

function policiesOf(
  given: WatchOptions["policies"],
  complain: (reason: string) => void,
): ReadonlyMap<string, Policy> {
  const policies = new Map<string, Policy>();
  for (const [tool, policy] of Object.entries(given ?? {})) {
    if (POLICIES.includes(policy)) policies.set(tool, policy);
    else complain("policies: each must be none, authorization or identity; one is ignored");
  }
  return policies;
}

function agreementsOf(
  given: WatchOptions["agreements"],
  complain: (reason: string) => void,
): readonly Agreement[] {
  const agreements: Agreement[] = [];
  for (const [field, { tools, windowMs, tolerance }] of Object.entries(given ?? {})) {
    // Names that are equal once cut are one tool.
    const paths = new Map<string, string>();
    for (const [tool, path] of Object.entries(tools ?? {})) {
      const name = fitName(tool, LIMITS.toolName);
      if (!paths.has(name)) paths.set(name, path);
    }
    const window = windowMs ?? DEFAULT_WINDOW_MS;
    const distance = tolerance ?? 0;
    const rule =
      agreements.length === LIMITS.agreements
        ? `there may be ${LIMITS.agreements} fields`
        : paths.size < 2 || paths.size > LIMITS.agreementTools
          ? `tools must name 2 to ${LIMITS.agreementTools} tools`
          : ![...paths.values()].every((path) => /^(?:\/(?:[^~]|~[01])*)?$/.test(path))
            ? "each path must be a JSON Pointer"
            : !Number.isInteger(window) || window < 1 || window > LIMITS.durationMs
              ? `windowMs must be an integer from 1 to ${LIMITS.durationMs}`
              : !(distance >= 0 && Number.isFinite(distance))
                ? "tolerance must be a number not below 0"
                : undefined;
    if (rule === undefined) {
      agreements.push({
        field: fitName(field, LIMITS.field),
        tools: paths,
        windowMs: window,
        tolerance: distance,
      });
    } else complain(`agreements: ${rule}; one field is ignored`);
  }
  return agreements;
}
