package mcpulse.wire;

import java.util.Map;

/** Sizes are UTF-16 code units of compact JSON, counted without writing it. */
public final class Sizes {
  private final Leaf leaf;
  private long units;

  private Sizes(Leaf leaf) {
    this.leaf = leaf;
  }

  /** The size of a JSON value; -1 if it is not representable. */
  public static long measure(Object value) {
    return measure(value, Leaf.DEFAULT);
  }

  /** The same, with another way of reading what is neither map, list, text, number nor boolean. */
  public static long measure(Object value, Leaf leaf) {
    try {
      Sizes sizes = new Sizes(leaf);
      sizes.add(value, 0);
      return sizes.units;
    } catch (Exception notRepresentable) {
      return -1;
    }
  }

  /** The size of a JSON value; 0 if it is not representable. */
  public static long units(Object value) {
    return Math.max(0, measure(value));
  }

  /** The size of JSON text; 0 if it is not JSON or not representable. */
  public static long textUnits(String json) {
    try {
      return units(JsonReader.read(json));
    } catch (NotJsonException notJson) {
      return 0;
    }
  }

  private void add(Object value, int depth) throws Exception {
    if (value == null) {
      units += 4;
    } else if (value instanceof CharSequence text) {
      string(text);
    } else if (value instanceof Boolean truth) {
      units += truth ? 4 : 5;
    } else if (value instanceof Number number) {
      units += Numbers.text(Leaf.number(number)).length();
    } else if (value instanceof Map<?, ?> map) {
      check(depth);
      // Each member has a colon and all but one a comma; and there are two braces.
      units += map.isEmpty() ? 2 : 2L * map.size() + 1;
      for (Map.Entry<?, ?> member : map.entrySet()) {
        string((String) member.getKey());
        add(member.getValue(), depth + 1);
      }
    } else {
      Iterable<?> items = Leaf.items(value);
      if (items == null) {
        add(leaf.plain(value), depth);
        return;
      }
      check(depth);
      // Two brackets, and a comma for each item but the first.
      units += items.iterator().hasNext() ? 1 : 2;
      for (Object item : items) {
        units++;
        add(item, depth + 1);
      }
    }
  }

  private static void check(int depth) {
    if (depth == Canonical.DEPTH_LIMIT) {
      throw new NotRepresentableException();
    }
  }

  private void string(CharSequence text) {
    int length = text.length();
    long count = length + 2L;
    for (int at = 0; at < length; at++) {
      char unit = text.charAt(at);
      if (unit < ' ' || unit == '"' || unit == '\\') {
        count += Strings.shortEscape(unit) == null ? 5 : 1;
      } else if (Character.isSurrogate(unit)) {
        at = Strings.pastPair(text, at);
      }
    }
    units += count;
  }
}
