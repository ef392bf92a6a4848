package mcpulse.core;

import java.util.Map;

/** How a batch travels: one request, one answer. */
@FunctionalInterface
interface Transport {
  /** One request, from name lookup to the last byte read. */
  long REQUEST_TIMEOUT_NS = 10_000_000_000L;

  /** Status 0: nothing answered in time. */
  record Answer(int status, String retryAfter) {
    static final Answer NONE = new Answer(0, null);
  }

  /** Sends headers and a body, until a deadline by {@link System#nanoTime}. Never raises. */
  Answer post(Map<String, String> headers, byte[] body, long deadline);
}
