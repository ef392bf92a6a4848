package mcpulse.core;

/** How a call ended. */
public enum Outcome {
  /** The author's handler returned a result without {@code isError}. */
  OK,
  /** The handler never ran. */
  BAD_ARGS,
  /** The handler returned {@code isError}, or raised the MCP SDK's own deliberate error. */
  TOOL_ERROR,
  /** Anything else escaped the handler, or the MCP SDK rejected its result. */
  CRASHED;

  String wire() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }
}
