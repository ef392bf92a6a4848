package mcpulse.harness;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import mcpulse.wire.Canonical;
import mcpulse.wire.Descriptions;
import mcpulse.wire.JsonReader;
import mcpulse.wire.NotJsonException;
import mcpulse.wire.Porter;
import mcpulse.wire.Results;
import mcpulse.wire.Sizes;
import mcpulse.wire.Strings;
import mcpulse.wire.Tools;

/** Text-level checks: one JSON object per line in, one per line out. */
final class Fixtures {
  private Fixtures() {}

  static void answer(InputStream in, PrintStream out) throws IOException, NotJsonException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    StringBuilder answers = new StringBuilder();
    byte[] buffer = new byte[1 << 16];
    for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
      int start = 0;
      for (int at = 0; at < count; at++) {
        if (buffer[at] == '\n') {
          line.write(buffer, start, at - start);
          start = at + 1;
          answers.append(answer(line.toString(StandardCharsets.UTF_8))).append('\n');
          line.reset();
        }
      }
      line.write(buffer, start, count - start);
    }
    if (line.size() > 0) {
      answers.append(answer(line.toString(StandardCharsets.UTF_8))).append('\n');
    }
    out.write(answers.toString().getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  private static String answer(String line) throws NotJsonException {
    Map<?, ?> in = (Map<?, ?>) JsonReader.read(line);
    Map<String, Object> out = new LinkedHashMap<>();
    switch ((String) in.get("op")) {
      case "args" -> {
        String canonical = Canonical.ofArgsText((String) in.get("json"));
        out.put("canonical", canonical);
        out.put(
            "args_hash",
            canonical == null ? Canonical.NOT_REPRESENTABLE_HASH : Canonical.hash12(canonical));
      }
      case "size" -> out.put("units", Sizes.textUnits((String) in.get("json")));
      case "empty" -> out.put("is_empty", Results.isEmpty(read(in.get("result"))));
      case "result" -> out.put("units", Math.max(0, Results.measure(read(in.get("result")))));
      case "tool" -> {
        Map<String, Object> described = Tools.describe((Map<?, ?>) read(in.get("entry")), null);
        out.put("description_hash", null);
        out.put("description_norm", null);
        out.putAll(described);
      }
      case "description" -> {
        String text = Strings.wellFormed((String) in.get("text"));
        out.put("tokens", Descriptions.tokens(text));
        out.put("description_hash", Descriptions.hash(text));
        out.put("description_norm", Descriptions.norm(text));
      }
      case "stem" -> out.put("stem", Porter.stem((String) in.get("word")));
      default -> out.put("unsupported", "op " + in.get("op"));
    }
    return Canonical.of(out);
  }

  private static Object read(Object text) throws NotJsonException {
    return text == null ? null : JsonReader.read((String) text);
  }
}
