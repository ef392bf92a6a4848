package mcpulse.core;

/** Debug lines, and the only place that writes anything. */
public final class Debug {
  private Debug() {}

  /** Writes lines to standard error, never to standard output: that belongs to MCP over stdio. */
  public static void say(String text) {
    StringBuilder lines = new StringBuilder();
    for (String line : text.split("\n")) {
      lines.append("mcpulse: ").append(line).append('\n');
    }
    System.err.print(lines);
    System.err.flush();
  }
}
