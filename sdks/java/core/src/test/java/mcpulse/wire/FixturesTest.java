package mcpulse.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every fixture of spec/. */
class FixturesTest {
  private static final Path SPEC = Path.of("../../../spec");

  private static Map<?, ?> spec(String name) {
    try {
      return (Map<?, ?>) JsonReader.read(Files.readAllBytes(SPEC.resolve(name)));
    } catch (IOException | NotJsonException unreadable) {
      throw new AssertionError(unreadable);
    }
  }

  private static Stream<Map<?, ?>> cases(String name, String key) {
    return ((List<?>) spec(name).get(key)).stream().map(one -> (Map<?, ?>) one);
  }

  static Stream<Map<?, ?>> canonical() {
    return cases("canonical.json", "cases");
  }

  @ParameterizedTest
  @MethodSource
  void canonical(Map<?, ?> one) {
    assertEquals(one.get("canonical"), Canonical.of(one.get("input")));
    assertEquals(one.get("args_hash"), Canonical.argsHash(one.get("input")));
    assertEquals(one.get("canonical"), Canonical.ofArgsText((String) one.get("canonical")));
  }

  @Test
  void canonicalIsShipped() throws IOException {
    assertEquals(23, canonical().count());
    try (InputStream shipped = getClass().getResourceAsStream("/mcpulse/canonical.json")) {
      assertArrayEquals(Files.readAllBytes(SPEC.resolve("canonical.json")), shipped.readAllBytes());
    }
  }

  static Stream<Map<?, ?>> canonicalExtra() {
    return cases("canonical-extra.json", "cases");
  }

  @ParameterizedTest
  @MethodSource
  void canonicalExtra(Map<?, ?> one) throws NotJsonException {
    String text = (String) one.get("json");
    String canonical = Canonical.ofArgsText(text);
    assertEquals(one.get("canonical"), canonical);
    String hash = canonical == null ? Canonical.NOT_REPRESENTABLE_HASH : Canonical.hash12(canonical);
    assertEquals(one.get("args_hash"), hash);
    if (canonical != null && text != null && !text.isBlank()) {
      assertEquals(hash, Canonical.argsHash(JsonReader.read(text)));
      String before = Canonical.ofText(text);
      assertEquals(before.length(), Sizes.textUnits(text));
    }
  }

  @Test
  void depthLimit() {
    assertEquals((double) Canonical.DEPTH_LIMIT, spec("canonical-extra.json").get("depth_limit"));
  }

  static Stream<Map<?, ?>> sizes() {
    return cases("sizes.json", "cases");
  }

  @ParameterizedTest
  @MethodSource
  void sizes(Map<?, ?> one) {
    String text = (String) one.get("result");
    assertEquals(((Double) one.get("utf16")).longValue(), Sizes.textUnits(text));
    String canonical = Canonical.ofText(text);
    assertEquals(((Double) one.get("utf16")).intValue(), canonical.length());
    int bytes = canonical.getBytes(StandardCharsets.UTF_8).length;
    assertEquals(((Double) one.get("utf8")).intValue(), bytes);
  }

  @Test
  void sizesOfWhatIsNotRepresentable() {
    cases("sizes.json", "unrepresentable")
        .forEach(one -> assertEquals(0, Sizes.textUnits((String) one.get("result"))));
  }

  @Test
  void sizesOfStrings() {
    cases("sizes.json", "strings")
        .forEach(
            one ->
                assertEquals(
                    ((Double) one.get("utf16")).intValue(),
                    Strings.utf16Length((String) one.get("text"))));
  }

  static Stream<Map<?, ?>> empty() {
    return cases("empty.json", "cases");
  }

  @ParameterizedTest
  @MethodSource
  void empty(Map<?, ?> one) {
    assertEquals(one.get("is_empty"), Results.isEmpty(one.get("result")));
  }

  static Stream<Map<?, ?>> tools() {
    return cases("tools.json", "cases");
  }

  @ParameterizedTest
  @MethodSource
  void tools(Map<?, ?> one) {
    Map<String, Object> described = Tools.describe((Map<?, ?>) one.get("entry"), null);
    assertEquals(((Double) one.get("schema_bytes")).longValue(), described.get("schema_bytes"));
    for (String name : List.of("schema_hash", "description_hash", "description_norm")) {
      assertEquals(one.get(name), described.get(name));
    }
  }

  static Stream<Map<?, ?>> descriptions() {
    return cases("description-norm.json", "cases");
  }

  @ParameterizedTest
  @MethodSource
  void descriptions(Map<?, ?> one) {
    String text = (String) one.get("description");
    assertEquals(one.get("tokens"), Descriptions.tokens(text));
    assertEquals(one.get("description_hash"), Descriptions.hash(text));
    assertEquals(one.get("description_norm"), Descriptions.norm(text));
  }

  @Test
  void stopWords() {
    List<?> words = (List<?>) spec("description-norm.json").get("stopwords");
    assertEquals(new HashSet<>(words), Descriptions.STOP_WORDS);
  }

  @Test
  void porter() {
    Map<?, ?> stems = spec("porter.json");
    assertTrue(stems.size() > 1000);
    stems.forEach((word, stem) -> assertEquals(stem, Porter.stem((String) word)));
  }
}
