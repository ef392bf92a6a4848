package mcpulse.core;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import mcpulse.wire.Fit;

/** Options, checked. */
public record Settings(
    String key,
    String endpoint,
    boolean debug,
    Map<String, String> policies,
    List<Agreement> agreements,
    boolean perConversation) {

  static final String DEFAULT_ENDPOINT = "http://127.0.0.1:7077";
  private static final Set<String> POLICIES = Set.of("none", "authorization", "identity");
  private static final Pattern PRINTABLE = Pattern.compile("[\\x21-\\x7e]+");
  private static final Pattern POINTER = Pattern.compile("(?:/(?:[^~]|~[01])*)?", Pattern.DOTALL);

  /** A declared field: the names of its tools, as they fit the wire format, to JSON Pointers. */
  public record Agreement(
      String field, Map<String, String> tools, long windowMs, double tolerance) {}

  /** Checks options; null when nothing is to be watched. Every reason is told, without any value. */
  public static Settings of(Options options, Consumer<String> complain) {
    String key = text(options.key, "MCPULSE_KEY");
    String endpoint = text(options.endpoint, "MCPULSE_ENDPOINT").replaceFirst("/+$", "");
    if (endpoint.isEmpty()) {
      endpoint = DEFAULT_ENDPOINT;
    }
    String refusal = refusal(options, key, endpoint);
    if (refusal != null) {
      complain.accept("off: " + refusal);
      return null;
    }
    return new Settings(
        key,
        endpoint,
        options.debug,
        policies(options, complain),
        agreements(options, complain),
        options.perConversation);
  }

  private static String text(String given, String variable) {
    String value = given == null ? System.getenv(variable) : given;
    return value == null ? "" : value.strip();
  }

  private static String refusal(Options options, String key, String endpoint) {
    if (!options.enabled) {
      return "enabled is false";
    }
    if (key.isEmpty()) {
      return "no key: give one as `key` or MCPULSE_KEY";
    }
    // An HTTP header can carry nothing else.
    if (!PRINTABLE.matcher(key).matches()) {
      return "key must be printable ASCII without spaces";
    }
    return ingest(endpoint) == null ? "endpoint must be an http or https URL" : null;
  }

  URI ingest() {
    return ingest(endpoint);
  }

  private static URI ingest(String endpoint) {
    try {
      URI uri = new URI(endpoint + "/v1/ingest");
      boolean http = "http".equalsIgnoreCase(uri.getScheme()) || "https".equalsIgnoreCase(uri.getScheme());
      boolean plain = uri.getRawQuery() == null && uri.getRawFragment() == null;
      boolean port = uri.getPort() != 0 && uri.getPort() < 65536;
      return http && plain && port && uri.getHost() != null ? uri : null;
    } catch (URISyntaxException notOne) {
      return null;
    }
  }

  private static Map<String, String> policies(Options options, Consumer<String> complain) {
    Map<String, String> policies = new LinkedHashMap<>();
    options.policies.forEach(
        (tool, policy) -> {
          if (tool != null && policy != null && POLICIES.contains(policy)) {
            policies.put(tool, policy);
          } else {
            complain.accept(
                "policies: each must be none, authorization or identity; one is ignored");
          }
        });
    return policies;
  }

  private static List<Agreement> agreements(Options options, Consumer<String> complain) {
    List<Agreement> agreements = new ArrayList<>();
    options.agreements.forEach(
        (field, declared) -> {
          Map<String, String> tools = new LinkedHashMap<>();
          // Names that are equal once cut are one tool.
          declared.tools().forEach((tool, path) -> tools.putIfAbsent(Fit.name(tool, Fit.MAX_TOOL_NAME), path));
          String broken = broken(declared, tools, agreements.size());
          if (broken == null) {
            String name = Fit.name(field, Fit.MAX_FIELD);
            agreements.add(new Agreement(name, tools, declared.windowMs(), declared.tolerance()));
          } else {
            complain.accept("agreements: " + broken + "; one field is ignored");
          }
        });
    return agreements;
  }

  /** The rule that a declared field breaks, if any. */
  private static String broken(Options.Declared declared, Map<String, String> tools, int count) {
    if (count == Fit.MAX_AGREEMENTS) {
      return "there may be " + Fit.MAX_AGREEMENTS + " fields";
    }
    if (tools.size() < 2 || tools.size() > Fit.MAX_AGREEMENT_TOOLS) {
      return "tools must name 2 to " + Fit.MAX_AGREEMENT_TOOLS + " tools";
    }
    for (String path : tools.values()) {
      if (path == null || !POINTER.matcher(path).matches()) {
        return "each path must be a JSON Pointer";
      }
    }
    if (declared.windowMs() < 1 || declared.windowMs() > Fit.MAX_DURATION_MS) {
      return "windowMs must be an integer from 1 to " + Fit.MAX_DURATION_MS;
    }
    boolean number = declared.tolerance() >= 0 && declared.tolerance() < Double.POSITIVE_INFINITY;
    return number ? null : "tolerance must be a number not below 0";
  }
}
