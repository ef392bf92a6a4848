package mcpulse.wire;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The canonical form of a JSON document (RFC 8785) and the hashes made from it. */
public final class Canonical {
  /** Deeper nesting than this many containers has no canonical form. */
  public static final int DEPTH_LIMIT = 128;

  /** {@code args_hash} of arguments that have no canonical form. */
  public static final String NOT_REPRESENTABLE_HASH = "000000000000";

  /** {@code args_hash} of {@code {}}, and so of absent, null and empty arguments. */
  public static final String EMPTY_ARGS_HASH = "44136fa355b3";

  private static final char[] HEX = "0123456789abcdef".toCharArray();

  private final StringBuilder out = new StringBuilder(256);
  private final Leaf leaf;

  private Canonical(Leaf leaf) {
    this.leaf = leaf;
  }

  /**
   * The canonical form of a value made of maps, lists, arrays, texts, numbers, booleans, null and
   * trees of Jackson. Null if it has none: half a surrogate pair, a number that is not finite, nesting
   * deeper than {@link #DEPTH_LIMIT}, or anything that JSON does not have.
   */
  public static String of(Object value) {
    return of(value, Leaf.DEFAULT);
  }

  /** The same, with another way of reading what is none of those. */
  public static String of(Object value, Leaf leaf) {
    try {
      Canonical canonical = new Canonical(leaf);
      canonical.write(value, 0);
      return canonical.out.toString();
    } catch (Exception notRepresentable) {
      return null;
    }
  }

  /** The canonical form of JSON text, or null if it is not JSON or has none. */
  public static String ofText(String json) {
    try {
      return of(JsonReader.read(json));
    } catch (NotJsonException notJson) {
      return null;
    }
  }

  /** The canonical form of arguments given as JSON text: absent, blank and null count as {@code {}}. */
  public static String ofArgsText(String json) {
    if (json == null || json.chars().allMatch(unit -> JsonReader.isBlank((char) unit))) {
      return "{}";
    }
    String canonical = ofText(json);
    return "null".equals(canonical) ? "{}" : canonical;
  }

  /** {@code args_hash} of a tool's arguments: 12 lowercase hexadecimal digits. */
  public static String argsHash(Object arguments) {
    return argsHash(arguments, Leaf.DEFAULT);
  }

  /** The same, with another way of reading what is neither map, list, text, number nor boolean. */
  public static String argsHash(Object arguments, Leaf leaf) {
    if (arguments == null) {
      return EMPTY_ARGS_HASH;
    }
    String canonical = of(arguments, leaf);
    if ("null".equals(canonical)) {
      return EMPTY_ARGS_HASH;
    }
    return canonical == null ? NOT_REPRESENTABLE_HASH : hash12(canonical);
  }

  /** The first 12 hexadecimal digits of SHA-256 over a text's UTF-8. */
  public static String hash12(String text) {
    byte[] digest = sha256(text);
    char[] digits = new char[12];
    for (int at = 0; at < 6; at++) {
      digits[2 * at] = HEX[digest[at] >> 4 & 15];
      digits[2 * at + 1] = HEX[digest[at] & 15];
    }
    return new String(digits);
  }

  /** SHA-256 over a text's UTF-8. */
  public static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException everyJavaHasIt) {
      throw new IllegalStateException(everyJavaHasIt);
    }
  }

  private void write(Object value, int depth) throws Exception {
    if (value == null) {
      out.append("null");
    } else if (value instanceof CharSequence text) {
      string(text);
    } else if (value instanceof Boolean) {
      out.append(value);
    } else if (value instanceof Number number) {
      out.append(Numbers.text(Leaf.number(number)));
    } else if (value instanceof Map<?, ?> map) {
      object(map, deeper(depth));
    } else {
      Iterable<?> items = Leaf.items(value);
      if (items == null) {
        write(leaf.plain(value), depth);
      } else {
        array(items, deeper(depth));
      }
    }
  }

  private static int deeper(int depth) {
    if (depth == DEPTH_LIMIT) {
      throw new NotRepresentableException();
    }
    return depth + 1;
  }

  private void object(Map<?, ?> map, int depth) throws Exception {
    List<String> keys = new ArrayList<>(map.size());
    for (Object key : map.keySet()) {
      keys.add((String) key);
    }
    // String's own order is that of UTF-16 code units.
    keys.sort(null);
    char before = '{';
    for (String key : keys) {
      out.append(before);
      string(key);
      out.append(':');
      write(map.get(key), depth);
      before = ',';
    }
    out.append(keys.isEmpty() ? "{}" : "}");
  }

  private void array(Iterable<?> items, int depth) throws Exception {
    char before = '[';
    for (Object item : items) {
      out.append(before);
      write(item, depth);
      before = ',';
    }
    out.append(before == '[' ? "[]" : "]");
  }

  private void string(CharSequence text) {
    out.append('"');
    int start = 0;
    for (int at = 0; at < text.length(); at++) {
      char unit = text.charAt(at);
      if (unit >= ' ' && unit != '"' && unit != '\\') {
        if (Character.isSurrogate(unit)) {
          at = Strings.pastPair(text, at);
        }
        continue;
      }
      out.append(text, start, at);
      escape(unit);
      start = at + 1;
    }
    out.append(text, start, text.length()).append('"');
  }

  private void escape(char unit) {
    String letter = Strings.shortEscape(unit);
    if (letter != null) {
      out.append(letter);
    } else {
      out.append("\\u00").append(HEX[unit >> 4]).append(HEX[unit & 15]);
    }
  }
}
