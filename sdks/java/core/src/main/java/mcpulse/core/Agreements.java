package mcpulse.core;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import mcpulse.wire.Canonical;
import mcpulse.wire.Fit;

/**
 * Compares what several tools say of the same field, in memory, and tells only yes or no. One for each
 * destination.
 */
final class Agreements {
  /** So many conversations are remembered, and so many fields and tools of each. */
  private static final int REMEMBERED = 1000;

  private static final Pattern INDEX = Pattern.compile("0|[1-9][0-9]{0,8}");
  private static final Object MISSING = new Object();

  /** One comparison. */
  record Verdict(String field, String toolA, String toolB, boolean agreed, long windowMs) {}

  /** The latest value of a tool: a number as itself, anything else only as its digest. */
  private record Seen(Double number, byte[] digest, long at) {}

  private record Place(String field, String tool) {}

  private final BoundedMap<String, BoundedMap<Place, Seen>> conversations =
      new BoundedMap<>(REMEMBERED);

  /** Notes what a tool returned, and compares it with what the others of its fields did. */
  List<Verdict> note(
      List<Settings.Agreement> agreements,
      String conversation,
      Object name,
      Object structured,
      long nowMs) {
    // As declared tools are named: cut to what the wire format takes.
    String tool = Fit.name(name, Fit.MAX_TOOL_NAME);
    List<Verdict> verdicts = new ArrayList<>();
    for (Settings.Agreement agreement : agreements) {
      String path = agreement.tools().get(tool);
      Seen seen = path == null ? null : comparable(valueAt(structured, path), nowMs);
      if (seen == null) {
        continue;
      }
      BoundedMap<Place, Seen> book =
          conversations.get(conversation, () -> new BoundedMap<>(REMEMBERED));
      for (String other : agreement.tools().keySet()) {
        Seen before =
            other.equals(tool) ? null : book.get(new Place(agreement.field(), other));
        if (before == null || nowMs - before.at() >= agreement.windowMs()) {
          continue;
        }
        boolean first = tool.compareTo(other) < 0;
        verdicts.add(
            new Verdict(
                agreement.field(),
                first ? tool : other,
                first ? other : tool,
                equal(seen, before, agreement.tolerance()),
                agreement.windowMs()));
      }
      book.put(new Place(agreement.field(), tool), seen);
    }
    return verdicts;
  }

  private static Seen comparable(Object value, long nowMs) {
    if (value == MISSING) {
      return null;
    }
    if (value instanceof Number number) {
      double real = number.doubleValue();
      return Double.isFinite(real) ? new Seen(real, null, nowMs) : null;
    }
    String canonical = Canonical.of(value);
    return canonical == null ? null : new Seen(null, Canonical.sha256(canonical), nowMs);
  }

  private static boolean equal(Seen one, Seen other, double tolerance) {
    if (one.number() != null && other.number() != null) {
      return Math.abs(one.number() - other.number()) <= tolerance;
    }
    return one.number() == null && other.number() == null && Arrays.equals(one.digest(), other.digest());
  }

  /** The value that a JSON Pointer names, or a mark that stands for none. */
  private static Object valueAt(Object document, String pointer) {
    Object value = document;
    String[] tokens = pointer.split("/", -1);
    for (int at = 1; at < tokens.length; at++) {
      String name = tokens[at].replace("~1", "/").replace("~0", "~");
      if (value instanceof List<?> list) {
        int index = INDEX.matcher(name).matches() ? Integer.parseInt(name) : list.size();
        value = index < list.size() ? list.get(index) : MISSING;
      } else {
        boolean has = value instanceof Map<?, ?> map && map.containsKey(name);
        value = has ? ((Map<?, ?>) value).get(name) : MISSING;
      }
    }
    return value;
  }
}
