/** What is said about an entry of `tools/list`: sizes and hashes, never its text. */
import { canonicalHash } from "./canonical.js";
import { descriptionHash, descriptionNorm } from "./description.js";
import { fitInteger, fitName, LIMITS, type Policy, type StartupTool } from "./payloads.js";
import { valueUnits } from "./sizes.js";

/** An entry of `tools/list`, of which only these members are looked at by name. */
export interface ToolEntry {
  readonly name?: unknown;
  readonly description?: unknown;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  readonly securitySchemes?: unknown;
  readonly _meta?: unknown;
}

/** Describes one entry as the client receives it. `declared` is the owner's own policy for it. */
export function describeTool(entry: ToolEntry, declared?: Policy): StartupTool {
  const description = typeof entry.description === "string" ? entry.description : "";
  return {
    name: fitName(entry.name, LIMITS.toolName),
    schema_bytes: fitInteger(valueUnits(entry), LIMITS.units),
    ...present("schema_hash", schemaHash(entry)),
    ...present("description_hash", descriptionHash(description)),
    ...present("description_norm", descriptionNorm(description)),
    ...present("policy", declared ?? policyOf(entry)),
  };
}

/** Hash over the input schema and, if there is one, the output schema. */
function schemaHash(entry: ToolEntry): string | undefined {
  return canonicalHash({
    ...(entry.inputSchema == null ? {} : { inputSchema: entry.inputSchema }),
    ...(entry.outputSchema == null ? {} : { outputSchema: entry.outputSchema }),
  });
}

/**
 * The policy a tool declares of itself: `securitySchemes` on the entry, or in its `_meta`, where
 * MCP SDKs that know no such member carry it.
 */
function policyOf(entry: ToolEntry): Policy | undefined {
  const meta = entry._meta as { securitySchemes?: unknown } | null | undefined;
  const schemes = entry.securitySchemes ?? meta?.securitySchemes;
  if (!Array.isArray(schemes) || schemes.length === 0) return undefined;
  const types = schemes.map((scheme) => (scheme as { type?: unknown } | null)?.type);
  if (types.includes("noauth")) return "none";
  return types.every((type) => type === "oauth2") ? "authorization" : undefined;
}

function present<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: V });
}
