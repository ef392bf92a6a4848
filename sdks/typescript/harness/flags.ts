// The command line of docs/harness.md. What this harness cannot do ends it with 64 and a reason.
import { parseArgs } from "node:util";

/** Value flags: the default, what is taken, and why nothing else is. */
const VALUES = {
  transport: ["stdio", /^(?:stdio|http)$/, "stdio or http"],
  sdk: ["v2", /^v[12]$/, "v1 (@modelcontextprotocol/sdk) or v2 (@modelcontextprotocol/server)"],
  api: ["high", /^(?:high|low)$/, "high or low"],
  http: ["stateful", /^(?:stateful|stateless)$/, "stateful or stateless"],
  servers: ["1", /^[1-9]\d{0,3}$/, "a number from 1 to 9999"],
  sessions: ["process", /^(?:process|conversation)$/, "process or conversation"],
  "on-sigterm": ["", /^\d{1,3}$/, "an exit code"],
  page: ["0", /^[1-9]\d{0,3}$/, "a number from 1 to 9999"],
  fork: ["0", /^0$/, "Node starts new processes, it does not fork"],
} as const;
const TOGGLES = ["early", "twice", "unwatched", "debug"] as const;
const MODES: Record<string, RegExp> = { serve: /^$/, fixtures: /^$/, churn: /^[1-9]\d*$/ };

export function unsupported(what: string, reason: string): never {
  console.error(`unsupported: ${what}: ${reason}`);
  process.exit(64);
}

export interface Flags extends Record<keyof typeof VALUES, string>, Record<(typeof TOGGLES)[number], boolean> {
  mode: string;
  count: number;
}

export function readFlags(): Flags {
  const options = Object.fromEntries([
    ...Object.keys(VALUES).map((name) => [name, { type: "string" } as const]),
    ...TOGGLES.map((name) => [name, { type: "boolean" } as const]),
  ]);
  const { values, positionals } = parseArgs({ options, strict: false, allowPositionals: true });
  const flags: Record<string, unknown> = Object.fromEntries([
    ...Object.entries(VALUES).map(([name, [initial]]) => [name, initial]),
    ...TOGGLES.map((name) => [name, false]),
  ]);
  for (const [name, value] of Object.entries(values)) {
    if (!Object.hasOwn(flags, name)) unsupported(`--${name}`, "no such flag");
    const rule = VALUES[name as keyof typeof VALUES] as (typeof VALUES)["fork"] | undefined;
    if (rule === undefined ? value !== true : typeof value !== "string" || !rule[1].test(value)) {
      unsupported(`--${name}`, rule?.[2] ?? "takes no value");
    }
    flags[name] = value;
  }
  if (flags.page !== "0" && flags.api !== "low") unsupported("--page", "a high-level server has one page");
  const [mode = "serve", argument = "", ...rest] = positionals;
  if (rest.length > 0 || !MODES[mode]?.test(argument)) {
    unsupported(positionals.join(" "), "no such mode: none, fixtures, or churn N");
  }
  return { ...flags, mode, count: Number(argument) } as Flags;
}
