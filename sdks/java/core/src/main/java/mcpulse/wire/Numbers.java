package mcpulse.wire;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/** Numbers as ECMAScript's {@code Number::toString} writes them. */
public final class Numbers {
  private static final double SAFE_INTEGER = 1L << 53;
  /** So many decimal digits always come back from a double: such a text is the only one so short. */
  private static final int CERTAIN_DIGITS = 15;

  private Numbers() {}

  /** The text of a finite double. */
  public static String text(double value) {
    double magnitude = Math.abs(value);
    if (magnitude < SAFE_INTEGER && magnitude == Math.rint(magnitude)) {
      return Long.toString((long) value);
    }
    StringBuilder digits = new StringBuilder(24);
    int point = digitsOf(magnitude, digits);
    return layOut(value < 0, digits, point);
  }

  /** Appends the shortest digits that read back as this double; returns where the point stands. */
  private static int digitsOf(double magnitude, StringBuilder digits) {
    // "d.ddd", "d.dddEn" or "0.00ddd". Until JDK 19 it may have a digit too many, or not the closest.
    String written = Double.toString(magnitude);
    int mark = written.indexOf('E');
    int exponent = mark < 0 ? 0 : Integer.parseInt(written, mark + 1, written.length(), 10);
    int end = mark < 0 ? written.length() : mark;
    int dot = written.indexOf('.');
    digits.append(written, 0, dot).append(written, dot + 1, end);
    int point = strip(digits, dot + exponent);
    if (digits.length() <= CERTAIN_DIGITS && magnitude >= Double.MIN_NORMAL) {
      return point;
    }
    digits.setLength(0);
    BigDecimal shortest = shortest(new BigDecimal(magnitude), magnitude);
    digits.append(shortest.unscaledValue());
    return strip(digits, digits.length() - shortest.scale());
  }

  private static int strip(StringBuilder digits, int point) {
    int leading = 0;
    while (leading < digits.length() - 1 && digits.charAt(leading) == '0') {
      leading++;
    }
    digits.delete(0, leading);
    int length = digits.length();
    while (length > 1 && digits.charAt(length - 1) == '0') {
      length--;
    }
    digits.setLength(length);
    return point - leading;
  }

  private static BigDecimal shortest(BigDecimal exact, double value) {
    // What has a text of n digits has one of n + 1 digits too, so the lengths are tried downwards.
    int count = CERTAIN_DIGITS;
    BigDecimal found = candidate(exact, value, count);
    if (found == null) {
      do {
        found = candidate(exact, value, ++count);
      } while (found == null);
      return found;
    }
    while (count > 1) {
      BigDecimal shorter = candidate(exact, value, --count);
      if (shorter == null) {
        break;
      }
      found = shorter;
    }
    return found;
  }

  /** The closest number of so many digits that reads back as the double, if there is one. */
  private static BigDecimal candidate(BigDecimal exact, double value, int digits) {
    BigDecimal below = exact.round(new MathContext(digits, RoundingMode.DOWN));
    BigDecimal above = exact.round(new MathContext(digits, RoundingMode.UP));
    // Both are asked: below a power of two, doubles lie closer together than above it.
    boolean isBelow = below.doubleValue() == value;
    boolean isAbove = above.doubleValue() == value;
    if (isBelow && isAbove) {
      // The closer one; of two as close, the even one.
      return exact.round(new MathContext(digits, RoundingMode.HALF_EVEN));
    }
    return isBelow ? below : isAbove ? above : null;
  }

  private static String layOut(boolean negative, StringBuilder digits, int point) {
    int count = digits.length();
    if (count <= point && point <= 21) {
      digits.append("0".repeat(point - count));
    } else if (0 < point && point <= 21) {
      digits.insert(point, '.');
    } else if (-6 < point && point <= 0) {
      digits.insert(0, "0." + "0".repeat(-point));
    } else {
      if (count > 1) {
        digits.insert(1, '.');
      }
      digits.append('e').append(point > 0 ? '+' : '-').append(Math.abs(point - 1));
    }
    return negative ? digits.insert(0, '-').toString() : digits.toString();
  }
}
