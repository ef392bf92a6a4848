package mcpulse.core;

import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;

/** How long an ingest asks to be left alone. */
final class RetryAfter {
  /** Longer waits than this are not believed. */
  static final long LONGEST_MS = 3_600_000;

  private RetryAfter() {}

  /** Milliseconds to wait for a header of seconds or of an HTTP date; 0 if it says nothing. */
  static long ms(String header, long nowMs) {
    String text = header == null ? "" : header.trim();
    if (text.matches("[0-9]+")) {
      return text.length() > 9 ? LONGEST_MS : Math.min(Long.parseLong(text) * 1000, LONGEST_MS);
    }
    try {
      long at = ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant().toEpochMilli();
      return Math.min(Math.max(at - nowMs, 0), LONGEST_MS);
    } catch (DateTimeParseException | ArithmeticException nonsense) {
      return 0;
    }
  }
}
