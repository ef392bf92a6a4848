package mcpulse.wire;

/** The text is not JSON. */
public final class NotJsonException extends Exception {
  private static final long serialVersionUID = 1L;

  NotJsonException() {
    // Without a stack trace or a message: it is an answer, and must not hold what was read.
    super(null, null, false, false);
  }
}
