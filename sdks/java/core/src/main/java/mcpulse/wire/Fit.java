package mcpulse.wire;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** How values are made to fit wire format 1. */
public final class Fit {
  // Lengths in code points, durations in milliseconds, sizes in UTF-16 code units.
  public static final int MAX_CLIENT_NAME = 128;
  public static final int MAX_TOOL_NAME = 200;
  public static final int MAX_FIELD = 200;
  public static final int MAX_VERSION = 64;
  public static final int MAX_TOOLS = 500;
  public static final int MAX_AGREEMENTS = 100;
  public static final int MAX_AGREEMENT_TOOLS = 20;
  public static final long MAX_DURATION_MS = 86_400_000;
  public static final long MAX_UNITS = Integer.MAX_VALUE;

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);
  /** 9999-12-31, the last day the format can say. */
  private static final long LAST_MS = 253_402_300_799_999L;

  private Fit() {}

  /** A name that fits: halves of surrogate pairs replaced, cut to code points, never empty. */
  public static String name(Object given, int limit) {
    if (!(given instanceof CharSequence) || ((CharSequence) given).length() == 0) {
      return "unknown";
    }
    String text = given.toString();
    String mended = Strings.wellFormed(text.substring(0, Math.min(text.length(), 2 * limit)));
    if (mended.codePointCount(0, mended.length()) <= limit) {
      return mended;
    }
    return mended.substring(0, mended.offsetByCodePoints(0, limit));
  }

  /** An optional short text that fits, or null when there is none. */
  public static String version(Object given) {
    return given instanceof CharSequence text && text.length() > 0 ? name(text, MAX_VERSION) : null;
  }

  /** A count or a duration that fits. */
  public static long integer(long value, long limit) {
    return Math.min(Math.max(value, 0), limit);
  }

  /** RFC 3339 in UTC with three decimals; years that a clock cannot mean are clamped. */
  public static String time(long ms) {
    return TIME.format(Instant.ofEpochMilli(integer(ms, LAST_MS)));
  }
}
