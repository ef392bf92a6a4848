package mcpulse.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OptionsTest {
  private static final Map<String, String> TOOLS = Map.of("a", "/x", "b", "/y");
  private final List<String> complaints = new ArrayList<>();

  private Settings settings(Consumer<Options> configure) {
    Options options = new Options().key("k");
    configure.accept(options);
    return Settings.of(options, complaints::add);
  }

  @Test
  void keyAndEndpointAreTrimmed() {
    Settings settings = settings(options -> options.key(" \tmp_live_x\n").endpoint("https://example.org/base//"));
    assertEquals("mp_live_x", settings.key());
    assertEquals("https://example.org/base/v1/ingest", settings.ingest().toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"ftp://x", "localhost", "http://", "http:// x", "http://x:0", "http://x:99999", "http://x?q", "http://x#f", "::", "http://é"})
  void anEndpointThatIsNoneTurnsEverythingOff(String endpoint) {
    assertNull(settings(options -> options.endpoint(endpoint)));
    assertTrue(complaints.get(0).startsWith("off: "));
    assertFalse(complaints.get(0).contains(endpoint));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "  ", "a b", "é", "a\r\nX: y"})
  void aKeyThatIsNoneTurnsEverythingOff(String key) {
    assertNull(settings(options -> options.key(key)));
  }

  @Test
  void enabledTurnsEverythingOff() {
    assertNull(settings(options -> options.enabled(false)));
  }

  @Test
  void wrongPoliciesAndAgreementsAreIgnored() {
    Map<String, String> absent = new HashMap<>(TOOLS);
    absent.put("c", null);
    Settings settings =
        settings(
            options ->
                options
                    .policy("a", "identity")
                    .policy("b", "perhaps")
                    .policy("c", null)
                    .agreement("good", TOOLS, 1000, 0.5)
                    .agreement("one", Map.of("a", "/x"))
                    .agreement("no pointer", Map.of("a", "x", "b", "/y"))
                    .agreement("tilde", Map.of("a", "/~2", "b", "/y"))
                    .agreement("absent", absent)
                    .agreement("null", null)
                    .agreement("window", TOOLS, 0, 0)
                    .agreement("tolerance", TOOLS, 1, Double.NaN));
    assertNotNull(settings);
    assertEquals(Map.of("a", "identity"), settings.policies());
    assertEquals(List.of(new Settings.Agreement("good", TOOLS, 1000, 0.5)), settings.agreements());
    assertEquals(9, complaints.size());
  }

  @Test
  void namesThatAreEqualOnceCutAreOneTool() {
    String name = "n".repeat(200);
    assertTrue(
        settings(options -> options.agreement("f", Map.of(name + "a", "/x", name + "b", "/x")))
            .agreements()
            .isEmpty());
  }

  private List<Agreements.Verdict> note(Agreements book, String conversation, String tool, Object structured, long at) {
    List<Settings.Agreement> declared = List.of(new Settings.Agreement("amount", Map.of("a", "/o/0/~1~0", "b", "/v"), 1000, 0.5));
    return book.note(declared, conversation, tool, structured, at);
  }

  @Test
  void valuesAreComparedWithinTheirWindowAndConversation() {
    Agreements book = new Agreements();
    Object first = Map.of("o", List.of(Map.of("/~", 10.0)));
    assertEquals(List.of(), note(book, "c", "a", first, 0));
    assertEquals(List.of(), note(book, "d", "b", Map.of("v", 10.4), 10));
    assertEquals(List.of(new Agreements.Verdict("amount", "a", "b", true, 1000)), note(book, "c", "b", Map.of("v", 10.4), 10));
    assertEquals(List.of(new Agreements.Verdict("amount", "a", "b", false, 1000)), note(book, "c", "b", Map.of("v", "10"), 20));
    assertEquals(List.of(), note(book, "c", "b", Map.of("v", 10.4), 1000));
    assertEquals(List.of(), note(book, "c", "b", Map.of("w", 10.4), 20));
    assertEquals(List.of(), note(book, "c", "other", first, 20));
  }

  @Test
  void aMapForgetsTheLeastRecentlyUsed() {
    BoundedMap<Integer, String> map = new BoundedMap<>(2);
    map.put(1, "one");
    map.put(2, "two");
    assertEquals("one", map.get(1));
    map.get(3, () -> "three");
    assertNull(map.get(2));
    assertEquals("one", map.remove(1));
  }
}
