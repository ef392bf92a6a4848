package mcpulse.wire;

/** The value has no canonical form. */
final class NotRepresentableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  NotRepresentableException() {
    super(null, null, false, false);
  }
}
