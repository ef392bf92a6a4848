package mcpulse.wire;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads JSON text into maps, lists, strings, doubles, booleans and null.
 *
 * <p>Without recursion, so that no nesting overflows a stack: what is nested too deep, halves of
 * surrogate pairs and numbers past the largest double are read and left to the writer, since a value
 * that a repeated key replaces need not be representable.
 */
public final class JsonReader {
  private final String text;
  private int at;
  private final ArrayDeque<Object> containers = new ArrayDeque<>();
  private final ArrayDeque<String> keys = new ArrayDeque<>();

  private JsonReader(String text) {
    this.text = text;
  }

  /** Reads a document. A repeated key keeps its last value. */
  public static Object read(String text) throws NotJsonException {
    return new JsonReader(text).document();
  }

  /** Reads a document of strict UTF-8, without a byte order mark. */
  public static Object read(byte[] utf8) throws NotJsonException {
    var decoder = StandardCharsets.UTF_8.newDecoder();
    decoder.onMalformedInput(CodingErrorAction.REPORT);
    decoder.onUnmappableCharacter(CodingErrorAction.REPORT);
    try {
      return read(decoder.decode(ByteBuffer.wrap(utf8)).toString());
    } catch (CharacterCodingException notUtf8) {
      throw new NotJsonException();
    }
  }

  private Object document() throws NotJsonException {
    while (true) {
      Object value;
      char first = afterBlank();
      if (first == '{') {
        at++;
        containers.push(new LinkedHashMap<String, Object>());
        if (afterBlank() != '}') {
          readKey();
          continue;
        }
        at++;
        value = containers.pop();
      } else if (first == '[') {
        at++;
        containers.push(new ArrayList<Object>());
        if (afterBlank() != ']') {
          continue;
        }
        at++;
        value = containers.pop();
      } else {
        value = scalar(first);
      }
      if (!takesMore(value)) {
        return root;
      }
    }
  }

  private Object root;

  /** Puts a finished value where it belongs. False when it was the document. */
  @SuppressWarnings("unchecked")
  private boolean takesMore(Object finished) throws NotJsonException {
    Object value = finished;
    while (true) {
      Object container = containers.peek();
      if (container == null) {
        skipBlank();
        if (at != text.length()) {
          throw new NotJsonException();
        }
        root = value;
        return false;
      }
      boolean isMap = container instanceof Map;
      if (isMap) {
        ((Map<String, Object>) container).put(keys.pop(), value);
      } else {
        ((List<Object>) container).add(value);
      }
      char next = afterBlank();
      at++;
      if (next == ',') {
        if (isMap) {
          readKey();
        }
        return true;
      }
      if (next != (isMap ? '}' : ']')) {
        throw new NotJsonException();
      }
      value = containers.pop();
    }
  }

  private void readKey() throws NotJsonException {
    if (afterBlank() != '"') {
      throw new NotJsonException();
    }
    keys.push(string());
    if (afterBlank() != ':') {
      throw new NotJsonException();
    }
    at++;
  }

  private void skipBlank() {
    while (at < text.length() && isBlank(text.charAt(at))) {
      at++;
    }
  }

  static boolean isBlank(char unit) {
    return unit == ' ' || unit == '\t' || unit == '\n' || unit == '\r';
  }

  private char afterBlank() throws NotJsonException {
    skipBlank();
    return current();
  }

  private char current() throws NotJsonException {
    if (at >= text.length()) {
      throw new NotJsonException();
    }
    return text.charAt(at);
  }

  private Object scalar(char first) throws NotJsonException {
    switch (first) {
      case '"':
        return string();
      case 't':
        return word("true", Boolean.TRUE);
      case 'f':
        return word("false", Boolean.FALSE);
      case 'n':
        return word("null", null);
      default:
        return number();
    }
  }

  private Object word(String word, Object value) throws NotJsonException {
    if (!text.startsWith(word, at)) {
      throw new NotJsonException();
    }
    at += word.length();
    return value;
  }

  private Double number() throws NotJsonException {
    int start = at;
    if (current() == '-') {
      at++;
    }
    if (current() == '0') {
      at++;
    } else {
      digits();
    }
    boolean integral = true;
    if (at < text.length() && text.charAt(at) == '.') {
      integral = false;
      at++;
      digits();
    }
    if (at < text.length() && (text.charAt(at) == 'e' || text.charAt(at) == 'E')) {
      integral = false;
      at++;
      if (current() == '+' || current() == '-') {
        at++;
      }
      digits();
    }
    if (integral && at - start <= 15) {
      return (double) Long.parseLong(text, start, at, 10);
    }
    return Double.valueOf(text.substring(start, at));
  }

  private void digits() throws NotJsonException {
    int start = at;
    while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
      at++;
    }
    if (at == start) {
      throw new NotJsonException();
    }
  }

  private String string() throws NotJsonException {
    int start = ++at;
    StringBuilder built = null;
    while (true) {
      char unit = current();
      if (unit == '"') {
        String plain = built == null ? text.substring(start, at) : null;
        if (built != null) {
          built.append(text, start, at);
        }
        at++;
        return built == null ? plain : built.toString();
      }
      if (unit < ' ') {
        throw new NotJsonException();
      }
      at++;
      if (unit == '\\') {
        if (built == null) {
          built = new StringBuilder();
        }
        built.append(text, start, at - 1).append(escaped());
        start = at;
      }
    }
  }

  private char escaped() throws NotJsonException {
    char kind = current();
    at++;
    switch (kind) {
      case '"':
      case '\\':
      case '/':
        return kind;
      case 'b':
        return '\b';
      case 'f':
        return '\f';
      case 'n':
        return '\n';
      case 'r':
        return '\r';
      case 't':
        return '\t';
      case 'u':
        return hexadecimal();
      default:
        throw new NotJsonException();
    }
  }

  private char hexadecimal() throws NotJsonException {
    int unit = 0;
    for (int end = at + 4; at < end; at++) {
      char digit = current();
      int value = digit < 128 ? Character.digit(digit, 16) : -1;
      if (value < 0) {
        throw new NotJsonException();
      }
      unit = unit << 4 | value;
    }
    return (char) unit;
  }
}
