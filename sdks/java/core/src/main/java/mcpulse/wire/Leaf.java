package mcpulse.wire;

import java.util.Map;

/** Makes JSON of a value that is neither a map, a list, a text, a number, a boolean nor null. */
@FunctionalInterface
public interface Leaf {
  /** What the value stands for, made of those; raises anything when it stands for none. */
  Object plain(Object value) throws Exception;

  /** Takes the trees of Jackson 2 and 3, by what they write, without knowing either. */
  Leaf DEFAULT =
      value -> {
        for (Class<?> type = value.getClass(); type != null; type = type.getSuperclass()) {
          if (type.getName().endsWith(".jackson.databind.JsonNode")) {
            return JsonReader.read(value.toString());
          }
        }
        throw new NotRepresentableException();
      };

  /** A number as a double; what is not finite has no canonical form. */
  static double number(Number number) {
    double value = number.doubleValue();
    if (!Double.isFinite(value)) {
      throw new NotRepresentableException();
    }
    return value;
  }

  /** An array of objects, or a list, as something to go through; null for anything else. */
  static Iterable<?> items(Object value) {
    if (value instanceof Iterable<?> items && !(value instanceof Map)) {
      return isTree(value) ? null : items;
    }
    return value instanceof Object[] array ? java.util.Arrays.asList(array) : null;
  }

  private static boolean isTree(Object value) {
    // Jackson's nodes are Iterable too, whatever they are.
    return !(value instanceof java.util.Collection)
        && value.getClass().getName().contains(".jackson.databind.");
  }
}
