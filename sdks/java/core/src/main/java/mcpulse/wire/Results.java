package mcpulse.wire;

import java.util.List;
import java.util.LinkedHashMap;
import java.util.Map;

/** What is measured of a {@code result}: its size, and whether it answers anything. */
public final class Results {
  private Results() {}

  /**
   * The members of a result that count: not {@code _meta} and {@code resultType}, not null, and not an
   * {@code isError} that is false. Other values as they are.
   */
  public static Object counted(Object result) {
    if (!(result instanceof Map<?, ?> members)) {
      return result;
    }
    Map<String, Object> counted = new LinkedHashMap<>();
    members.forEach(
        (key, member) -> {
          boolean aside = "_meta".equals(key) || "resultType".equals(key);
          if (!aside && member != null && !("isError".equals(key) && Boolean.FALSE.equals(member))) {
            counted.put((String) key, member);
          }
        });
    return counted;
  }

  /** The size of what counts of a result; 0 for none, -1 if it is not representable. */
  public static long measure(Object result) {
    Object counted = counted(result);
    return counted == null ? 0 : Sizes.measure(counted);
  }

  /** Whether a result, asked only of calls that are {@code ok}, holds no answer. */
  public static boolean isEmpty(Object result) {
    Object counted = counted(result);
    if (!(counted instanceof Map<?, ?> members)) {
      return isNothing(counted);
    }
    Object structured = members.get("structuredContent");
    if (structured != null) {
      return isNothing(opened(structured));
    }
    if (!(members.get("content") instanceof List<?> content)) {
      return members.isEmpty();
    }
    if (content.size() != 1) {
      return content.isEmpty();
    }
    return content.get(0) instanceof Map<?, ?> part
        && "text".equals(part.get("type"))
        && part.get("text") instanceof String text
        && saysNothing(text);
  }

  /** Some MCP SDKs wrap a tool's plain return value as {@code {"result": x}}; x is what counts. */
  private static Object opened(Object structured) {
    boolean wrapped =
        structured instanceof Map<?, ?> map && map.size() == 1 && map.containsKey("result");
    return wrapped ? ((Map<?, ?>) structured).get("result") : structured;
  }

  private static boolean isNothing(Object value) {
    return value == null
        || value instanceof String text && saysNothing(text)
        || value instanceof List<?> list && list.isEmpty()
        || value instanceof Map<?, ?> map && map.isEmpty();
  }

  private static boolean saysNothing(String text) {
    if (isBlank(text)) {
      return true;
    }
    // What says nothing begins so; the length of a long text is not read through.
    char first = text.charAt(firstOf(text));
    if (first != 'n' && first != '"' && first != '[' && first != '{') {
      return false;
    }
    try {
      Object value = JsonReader.read(text);
      return value instanceof String inner ? isBlank(inner) : isNothing(value);
    } catch (NotJsonException itIsText) {
      return false;
    }
  }

  private static int firstOf(String text) {
    int at = 0;
    while (at < text.length() && JsonReader.isBlank(text.charAt(at))) {
      at++;
    }
    return at;
  }

  private static boolean isBlank(String text) {
    return firstOf(text) == text.length();
  }
}
