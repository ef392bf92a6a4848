package mcpulse.core;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What {@code watch} takes. All are optional, and none makes it send more. Nothing here raises: wrong
 * values turn the producer off, or are ignored, and {@link #debug} says which.
 */
public final class Options {
  String key;
  String endpoint;
  boolean enabled = true;
  boolean debug;
  boolean perConversation;
  final Map<String, String> policies = new LinkedHashMap<>();
  final Map<String, Declared> agreements = new LinkedHashMap<>();

  /** A field as declared. */
  record Declared(Map<String, String> tools, long windowMs, double tolerance) {}

  /** How old another tool's value may be to be compared, unless an agreement says otherwise. */
  public static final long DEFAULT_WINDOW_MS = 300_000;

  /** The ingest key. Empty turns everything off. Default: {@code MCPULSE_KEY}. */
  public Options key(String key) {
    this.key = key;
    return this;
  }

  /** Where MCPulse is. Default: {@code MCPULSE_ENDPOINT}, else {@code http://127.0.0.1:7077}. */
  public Options endpoint(String endpoint) {
    this.endpoint = endpoint;
    return this;
  }

  /** False turns everything off. Default: true. */
  public Options enabled(boolean enabled) {
    this.enabled = enabled;
    return this;
  }

  /** Writes every payload sent, and every reason for not sending, to standard error. */
  public Options debug(boolean debug) {
    this.debug = debug;
    return this;
  }

  /** What a tool needs: {@code none}, {@code authorization} or {@code identity}. */
  public Options policy(String tool, String policy) {
    policies.put(tool, policy);
    return this;
  }

  /** A field that several tools report: each tool's name and the JSON Pointer into its structured content. */
  public Options agreement(String field, Map<String, String> tools) {
    return agreement(field, tools, DEFAULT_WINDOW_MS, 0);
  }

  /**
   * The same.
   *
   * @param windowMs how old the other tool's value may be, 1 to 86 400 000
   * @param tolerance how far apart two numbers may be and still agree; absolute
   */
  public Options agreement(
      String field, Map<String, String> tools, long windowMs, double tolerance) {
    Map<String, String> copy = new LinkedHashMap<>();
    if (tools != null) {
      copy.putAll(tools);
    }
    agreements.put(field, new Declared(copy, windowMs, tolerance));
    return this;
  }

  /**
   * One session for each conversation that the protocol names by {@code Mcp-Session-Id}, for HTTP servers
   * with many users at once. Default: one for the process.
   */
  public Options sessionPerConversation(boolean perConversation) {
    this.perConversation = perConversation;
    return this;
  }
}
