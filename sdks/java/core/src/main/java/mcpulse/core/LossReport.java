package mcpulse.core;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts of what became of everything recorded. */
public final class LossReport {
  private final LongAdder recorded = new LongAdder();
  private final LongAdder sent = new LongAdder();
  private final Map<String, LongAdder> dropped = new ConcurrentHashMap<>();
  private final Map<String, LongAdder> unrecorded = new ConcurrentHashMap<>();

  void recorded() {
    recorded.increment();
  }

  void sent(int count) {
    sent.add(count);
  }

  /** Counts payloads that were recorded and will never arrive. */
  void dropped(String reason, int count) {
    dropped.computeIfAbsent(reason, name -> new LongAdder()).add(count);
  }

  /** Counts requests that were seen and, rightly, not recorded. */
  public void unrecorded(String reason) {
    unrecorded.computeIfAbsent(reason, name -> new LongAdder()).increment();
  }

  @Override
  public String toString() {
    return "recorded " + recorded + ", sent " + sent + ", dropped " + list(dropped)
        + ", not recorded " + list(unrecorded);
  }

  private static String list(Map<String, LongAdder> counts) {
    long total = 0;
    StringBuilder reasons = new StringBuilder();
    for (Map.Entry<String, LongAdder> count : new TreeMap<>(counts).entrySet()) {
      total += count.getValue().sum();
      reasons.append(reasons.length() == 0 ? " (" : ", ");
      reasons.append(count.getKey()).append(' ').append(count.getValue());
    }
    return total == 0 ? "0" : total + reasons.toString() + ")";
  }
}
