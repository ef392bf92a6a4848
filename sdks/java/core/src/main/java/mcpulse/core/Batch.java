package mcpulse.core;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Payloads that travel together, under one idempotency key until they are answered; oldest first. The
 * ring may take back the oldest while it waits.
 */
final class Batch {
  private static final int MAX_PAYLOADS = 500;
  private static final int MAX_BYTES = 1024 * 1024;
  private static final int ENVELOPE_BYTES = "{\"batch\":[]}".length();
  static final SecureRandom RANDOM = new SecureRandom();

  /** A startup, with what tells its surface apart. Kept as first sent: the key stands for it. */
  record Startup(String fingerprint, String text) {}

  final String idempotencyKey = randomHex(16);
  final ArrayDeque<String> texts = new ArrayDeque<>();
  final List<Startup> startups = new ArrayList<>();
  private int bytes = ENVELOPE_BYTES;

  static String randomHex(int count) {
    byte[] random = new byte[count];
    RANDOM.nextBytes(random);
    return HexFormat.of().formatHex(random);
  }

  /** Puts startups in front, oldest first. The newest always finds room, older ones if they fit. */
  void lead(Map<String, Map<String, Object>> pending) {
    List<Map.Entry<String, Map<String, Object>>> entries = new ArrayList<>(pending.entrySet());
    for (int at = entries.size() - 1; at >= 0; at--) {
      Map<String, Object> payload = entries.get(at).getValue();
      String text = Json.of(payload);
      if (bytes + length(text) > MAX_BYTES) {
        if (!startups.isEmpty()) {
          return;
        }
        // Only an absurd number of declared agreements gets here; the tools matter more.
        Map<String, Object> kept = new LinkedHashMap<>(payload);
        kept.remove("agreements");
        text = Json.of(kept);
      }
      startups.add(0, new Startup(entries.get(at).getKey(), text));
      bytes += length(text) + 1;
    }
  }

  /** Adds a payload unless the batch is full. */
  boolean add(String text) {
    boolean full = texts.size() + startups.size() >= MAX_PAYLOADS;
    int more = length(text) + 1;
    if (full || bytes + more > MAX_BYTES) {
      return false;
    }
    texts.add(text);
    bytes += more;
    return true;
  }

  private static int length(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  boolean isEmpty() {
    return texts.isEmpty() && startups.isEmpty();
  }

  /** The payloads of the request, startups first. */
  List<String> payloads() {
    List<String> payloads = new ArrayList<>();
    startups.forEach(startup -> payloads.add(startup.text()));
    payloads.addAll(texts);
    return payloads;
  }

  byte[] body() {
    return ("{\"batch\":[" + String.join(",", payloads()) + "]}").getBytes(StandardCharsets.UTF_8);
  }
}
