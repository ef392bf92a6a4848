package mcpulse.wire;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What is said about an entry of {@code tools/list}: sizes and hashes, never its text. */
public final class Tools {
  private Tools() {}

  /** Describes one entry as the client receives it; {@code declared} is the owner's own policy. */
  public static Map<String, Object> describe(Map<?, ?> entry, String declared) {
    String text =
        entry.get("description") instanceof String words ? Strings.wellFormed(words) : "";
    Map<String, Object> described = new LinkedHashMap<>();
    described.put("name", Fit.name(entry.get("name"), Fit.MAX_TOOL_NAME));
    described.put("schema_bytes", Fit.integer(Sizes.units(entry), Fit.MAX_UNITS));
    String schemas = Canonical.of(schemas(entry));
    put(described, "schema_hash", schemas == null ? null : Canonical.hash12(schemas));
    put(described, "description_hash", Descriptions.hash(text));
    put(described, "description_norm", Descriptions.norm(text));
    put(described, "policy", declared != null ? declared : policy(entry));
    return described;
  }

  private static void put(Map<String, Object> described, String name, String value) {
    if (value != null) {
      described.put(name, value);
    }
  }

  private static Map<String, Object> schemas(Map<?, ?> entry) {
    Map<String, Object> schemas = new LinkedHashMap<>();
    for (String name : List.of("inputSchema", "outputSchema")) {
      if (entry.get(name) != null) {
        schemas.put(name, entry.get(name));
      }
    }
    return schemas;
  }

  /** The policy a tool declares of itself, by {@code securitySchemes} on the entry or in its _meta. */
  private static String policy(Map<?, ?> entry) {
    Object schemes = entry.get("securitySchemes");
    if (schemes == null && entry.get("_meta") instanceof Map<?, ?> meta) {
      schemes = meta.get("securitySchemes");
    }
    if (!(schemes instanceof List<?> list) || list.isEmpty()) {
      return null;
    }
    boolean onlyOauth2 = true;
    for (Object scheme : list) {
      Object type = scheme instanceof Map<?, ?> map ? map.get("type") : null;
      if ("noauth".equals(type)) {
        return "none";
      }
      onlyOauth2 &= "oauth2".equals(type);
    }
    return onlyOauth2 ? "authorization" : null;
  }
}
