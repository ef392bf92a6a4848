package mcpulse.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WireTest {
  @ParameterizedTest
  @CsvSource({
    "2.0E-3, 0.002",
    "1.0E23, 1e+23",
    "9.5367431640625E-7, 9.5367431640625e-7",
    "2.2250738585072014E-308, 2.2250738585072014e-308",
    "4.9E-324, 5e-324",
    "1.7976931348623157E308, 1.7976931348623157e+308",
    // What Java wrote with a digit too many until JDK 19.
    "2.0E-322, 2e-322",
    "2.2E-322, 2.2e-322",
    "1.1E-321, 1.1e-321",
    // As close to ...28.7 as to ...28.8: the even one.
    "980654408131128.75, 980654408131128.8",
    "0.1, 0.1",
    "-0.0, 0",
    "1.0E20, 100000000000000000000",
    "1.0E21, 1e+21",
    "1.0E-6, 0.000001",
    "1.0E-7, 1e-7",
    "123456.789, 123456.789",
    "-123456.789E-12, -1.23456789e-7",
    "9007199254740993, 9007199254740992",
    "9007199254740994.5, 9007199254740994",
  })
  void numbersAreAsEcmascriptWritesThem(double value, String text) {
    assertEquals(text, Numbers.text(value));
  }

  @Test
  void everyNumberReadsBackFromTheFewestDigits() {
    Random random = new Random(8785);
    for (int count = 0; count < 50_000; count++) {
      double value = Double.longBitsToDouble(random.nextLong());
      if (Double.isFinite(value)) {
        String text = Numbers.text(value);
        assertEquals(value == 0 ? 0.0 : value, Double.parseDouble(text), text);
        int digits = new BigDecimal(text).stripTrailingZeros().precision();
        if (digits > 1) {
          var fewer = new java.math.MathContext(digits - 1, java.math.RoundingMode.HALF_EVEN);
          assertFalse(new BigDecimal(value).round(fewer).doubleValue() == value, text);
        }
      }
    }
  }

  @Test
  void valuesOfJavaAreTaken() {
    Map<String, Object> value =
        Map.of(
            "big", new BigInteger("9007199254740993"),
            "dec", new BigDecimal("1.50"),
            "arr", new Object[] {1, 2L, (short) 3, 4f},
            "text", new StringBuilder("é\u2028"));
    assertEquals(
        "{\"arr\":[1,2,3,4],\"big\":9007199254740992,\"dec\":1.5,\"text\":\"é\u2028\"}",
        Canonical.of(value));
    assertEquals(Canonical.of(value).length(), Sizes.units(value));
  }

  @Test
  void whatHasNoCanonicalFormHasNone() {
    List<Object> cyclic = new ArrayList<>();
    cyclic.add(cyclic);
    for (Object value :
        new Object[] {Double.NaN, Float.POSITIVE_INFINITY, "\ud800", "a\udc00b", new Object(), cyclic,
          Map.of(1, 2), new BigInteger("1" + "0".repeat(400))}) {
      assertNull(Canonical.of(value));
      assertEquals(-1, Sizes.measure(value));
      assertEquals("000000000000", Canonical.argsHash(value));
    }
  }

  @Test
  void nestingIsLimitedAndReadWithoutRecursion() throws NotJsonException {
    assertEquals("[".repeat(128) + "]".repeat(128), Canonical.ofText("[".repeat(128) + "]".repeat(128)));
    assertNull(Canonical.ofText("[".repeat(129) + "]".repeat(129)));
    String deep = "[".repeat(200_000) + "]".repeat(200_000);
    assertEquals("{\"a\":1}", Canonical.ofText("{\"a\":" + deep + ",\"a\":1}"));
    assertNull(Canonical.of(JsonReader.read(deep)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "{", "[1,]", "{\"a\":1,}", "01", "1.", ".5", "+1", "1e", "tru", "nulll",
    "\"\t\"", "\"\\x\"", "\"\\u12g4\"", "\"\\u１２３４\"", "'a'", "{a:1}", "[1 2]", "\uFEFF1", "1\u00A0", "NaN", "--1"})
  void whatIsNotJsonIsRefused(String text) {
    assertThrows(NotJsonException.class, () -> JsonReader.read(text));
  }

  @Test
  void textIsStrictUtf8() {
    assertThrows(NotJsonException.class, () -> JsonReader.read(new byte[] {'"', (byte) 0xC0, (byte) 0x80, '"'}));
  }

  @Test
  void namesFit() {
    assertEquals("unknown", Fit.name(null, 5));
    assertEquals("unknown", Fit.name("", 5));
    assertEquals("unknown", Fit.name(7, 5));
    assertEquals("🚀🚀", Fit.name("🚀🚀🚀", 2));
    assertEquals("a\uFFFDb", Fit.name("a\ud800b", 5));
    assertEquals("\uFFFD", Fit.name("\ud83d", 1));
    assertNull(Fit.version(""));
  }

  @Test
  void timesAndNumbersFit() {
    assertEquals("2026-12-01T00:00:00.007Z", Fit.time(1_796_083_200_007L));
    assertEquals("1970-01-01T00:00:00.000Z", Fit.time(-1));
    assertEquals("9999-12-31T23:59:59.999Z", Fit.time(Long.MAX_VALUE));
    assertEquals(0, Fit.integer(-5, 10));
    assertEquals(10, Fit.integer(11, 10));
  }

  @Test
  void policiesComeFromTheEntryToo() {
    Map<String, Object> noauth = Map.of("name", "a", "securitySchemes", List.of(Map.of("type", "oauth2"), Map.of("type", "noauth")));
    assertEquals("none", Tools.describe(noauth, null).get("policy"));
    Map<String, Object> meta = Map.of("name", "a", "_meta", Map.of("securitySchemes", List.of(Map.of("type", "oauth2"))));
    assertEquals("authorization", Tools.describe(meta, null).get("policy"));
    assertEquals("identity", Tools.describe(meta, "identity").get("policy"));
    assertFalse(Tools.describe(Map.of("name", "a"), null).containsKey("policy"));
    assertTrue(Tools.describe(Map.of(), null).get("name").equals("unknown"));
  }
}
