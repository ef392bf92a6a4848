package mcpulse.wire;

/** What is said about the UTF-16 code units of a text. */
public final class Strings {
  private Strings() {}

  /** The length of a text in UTF-16 code units; half a surrogate pair is one. */
  public static int utf16Length(CharSequence text) {
    return text.length();
  }

  /** The text with halves of surrogate pairs replaced by U+FFFD. */
  public static String wellFormed(String text) {
    return wellFormed(text, '\uFFFD');
  }

  /** The text with halves of surrogate pairs replaced. */
  public static String wellFormed(String text, char replacement) {
    StringBuilder mended = null;
    for (int at = 0; at < text.length(); at++) {
      if (!Character.isSurrogate(text.charAt(at))) {
        continue;
      }
      if (isPair(text, at)) {
        at++;
      } else {
        mended = mended == null ? new StringBuilder(text) : mended;
        mended.setCharAt(at, replacement);
      }
    }
    return mended == null ? text : mended.toString();
  }

  static boolean isPair(CharSequence text, int at) {
    return at + 1 < text.length()
        && Character.isHighSurrogate(text.charAt(at))
        && Character.isLowSurrogate(text.charAt(at + 1));
  }

  /** Where the second half of a surrogate pair stands. Raises when it is none. */
  static int pastPair(CharSequence text, int at) {
    if (!isPair(text, at)) {
      throw new NotRepresentableException();
    }
    return at + 1;
  }

  /** The escape of two characters, for those that have one. */
  static String shortEscape(char unit) {
    switch (unit) {
      case '"':
        return "\\\"";
      case '\\':
        return "\\\\";
      case '\b':
        return "\\b";
      case '\t':
        return "\\t";
      case '\n':
        return "\\n";
      case '\f':
        return "\\f";
      case '\r':
        return "\\r";
      default:
        return null;
    }
  }
}
