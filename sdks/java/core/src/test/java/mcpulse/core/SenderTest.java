package mcpulse.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import mcpulse.core.Transport.Answer;
import mcpulse.wire.JsonReader;
import org.junit.jupiter.api.Test;

class SenderTest {
  /** A request as an ingest sees it. */
  private record Seen(String key, List<?> batch) {
    List<Integer> numbers() {
      List<Integer> numbers = new ArrayList<>();
      for (Object payload : batch) {
        if (((Map<?, ?>) payload).get("n") instanceof Double number) {
          numbers.add(number.intValue());
        }
      }
      return numbers;
    }
  }

  private final LinkedBlockingQueue<Seen> seen = new LinkedBlockingQueue<>();

  private Sender sender(Function<Integer, Answer> answers) {
    int[] count = new int[1];
    Transport transport =
        (headers, body, deadline) -> {
          try {
            Map<?, ?> read = (Map<?, ?>) JsonReader.read(new String(body, StandardCharsets.UTF_8));
            seen.add(new Seen(headers.get("Idempotency-Key"), (List<?>) read.get("batch")));
          } catch (Exception notJson) {
            throw new AssertionError(notJson);
          }
          return answers.apply(count[0]++);
        };
    return new Sender(Map.of(), text -> {}, transport);
  }

  private static Payload payload(int number) {
    return () -> Map.of("n", number);
  }

  private static void push(Sender sender, int from, int to) {
    for (int number = from; number < to; number++) {
      sender.push(payload(number));
    }
  }

  private Seen next() throws InterruptedException {
    Seen next = seen.poll(60, TimeUnit.SECONDS);
    assertNotNull(next, "a request");
    return next;
  }

  private static boolean flush(Sender sender, long seconds) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    return Sender.await(List.of(sender.beginFlush(deadline)), deadline);
  }

  private static final Answer TAKEN = new Answer(202, null);

  @Test
  void thirtyAreSentAtOnceAndTheRestOnFlush() throws Exception {
    Sender sender = sender(count -> TAKEN);
    push(sender, 0, 30);
    Seen first = next();
    assertEquals(30, first.batch().size());
    push(sender, 30, 33);
    assertTrue(flush(sender, 30));
    Seen second = next();
    assertEquals(List.of(30, 31, 32), second.numbers());
    assertNotEquals(first.key(), second.key());
    assertEquals("recorded 33, sent 33, dropped 0, not recorded 0", sender.loss.toString());
  }

  @Test
  void fewAreSentAfterAWhile() throws Exception {
    Sender sender = sender(count -> TAKEN);
    push(sender, 0, 2);
    assertEquals(List.of(0, 1), next().numbers());
  }

  @Test
  void whatNobodyAnsweredIsSentAgainTheSame() throws Exception {
    Sender sender = sender(count -> count == 0 ? Answer.NONE : count == 1 ? new Answer(503, "0") : TAKEN);
    push(sender, 0, 30);
    Seen first = next();
    push(sender, 30, 40);
    Seen second = next();
    Seen third = next();
    assertEquals(first, second);
    assertEquals(first, third);
    assertTrue(flush(sender, 30));
    assertEquals(10, next().batch().size());
    assertEquals("recorded 40, sent 40, dropped 0, not recorded 0", sender.loss.toString());
  }

  @Test
  void anyOtherAnswerEndsABatch() throws Exception {
    Sender sender = sender(count -> new Answer(count == 0 ? 500 : 202, null));
    push(sender, 0, 30);
    next();
    push(sender, 30, 31);
    assertTrue(flush(sender, 30));
    assertEquals(List.of(30), next().numbers());
    assertEquals("recorded 31, sent 1, dropped 30 (answered 500 30), not recorded 0", sender.loss.toString());
  }

  @Test
  void theRingKeepsTheNewestThousand() throws Exception {
    Sender sender = sender(count -> count == 0 ? Answer.NONE : TAKEN);
    push(sender, 0, 30);
    next();
    // While the first batch waits.
    push(sender, 30, 1500);
    assertTrue(sender.held() <= 1000 + 30);
    assertTrue(flush(sender, 30));
    List<Integer> arrived = new ArrayList<>();
    while (!seen.isEmpty()) {
      arrived.addAll(next().numbers());
    }
    assertEquals(1000, arrived.size());
    assertEquals(500, arrived.get(0));
    assertEquals(1499, arrived.get(999));
    assertTrue(sender.loss.toString().contains("dropped 500 (ring full 500)"), sender.loss::toString);
  }

  @Test
  void theNewestStartupLeadsUntilOneIsTaken() throws Exception {
    Sender sender = sender(count -> new Answer(count == 0 ? 500 : 202, null));
    sender.submit(0, () -> sender.lead("a", Map.of("startup", "a")));
    push(sender, 0, 30);
    assertEquals(Map.of("startup", "a"), next().batch().get(0));
    push(sender, 30, 60);
    assertTrue(flush(sender, 30));
    assertEquals(Map.of("startup", "a"), next().batch().get(0));
    push(sender, 60, 61);
    assertTrue(flush(sender, 30));
    assertEquals(List.of(60), next().numbers());
    assertTrue(seen.isEmpty());
  }

  @Test
  void aBatchHasAtMost500PayloadsAndAMebibyte() throws Exception {
    Sender sender = sender(count -> TAKEN);
    String large = "x".repeat(300_000);
    for (int number = 0; number < 8; number++) {
      sender.push(() -> Map.of("text", large));
    }
    assertTrue(flush(sender, 30));
    List<Integer> sizes = new ArrayList<>();
    while (!seen.isEmpty()) {
      sizes.add(next().batch().size());
    }
    assertEquals(List.of(3, 3, 2), sizes);
  }

  @Test
  void aPayloadThatCannotBeWrittenCostsNoOther() throws Exception {
    Sender sender = sender(count -> TAKEN);
    sender.push(() -> Map.of("n", Double.NaN));
    sender.push(
        () -> {
          throw new IllegalStateException();
        });
    push(sender, 1, 2);
    assertTrue(flush(sender, 30));
    assertEquals(List.of(1), next().numbers());
  }

  @Test
  void noRequestIsMadeBeforeTheIngestWishes() {
    Sender sender = sender(count -> new Answer(429, "3600"));
    push(sender, 0, 1);
    assertFalse(flush(sender, 30));
    assertFalse(flush(sender, 30));
    assertEquals(1, seen.size());
  }

  @Test
  void retryAfterMayBeNonsense() {
    assertEquals(7000, RetryAfter.ms(" 7 ", 0));
    assertEquals(3_600_000, RetryAfter.ms("99999999999999999999", 0));
    assertEquals(3_600_000, RetryAfter.ms("100000", 0));
    assertEquals(5000, RetryAfter.ms("Thu, 01 Jan 1970 00:00:06 GMT", 1000));
    for (String nonsense : new String[] {null, "", "-1", "1.5", "soon", "Thu, 01 Jan 1960 00:00:06 GMT"}) {
      assertEquals(0, RetryAfter.ms(nonsense, 0));
    }
  }
}
