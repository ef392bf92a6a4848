package mcpulse.core;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import mcpulse.wire.Canonical;
import mcpulse.wire.Fit;
import mcpulse.wire.Tools;

/**
 * Where payloads of one endpoint and key go: one session and one ring per process, shared by every
 * {@code watch} that names them.
 */
public final class Destination {
  private static final int CONVERSATIONS = 10_000;
  private static final int SURFACES = 4096;
  /** Collecting the tools of a server is free this many times, */
  private static final int COLLECT_BURST = 20;
  /** and then once in this time. */
  private static final double COLLECT_INTERVAL_S = 5;
  /** A final flush may hold up the exit of the process this long, all destinations together. */
  private static final long EXIT_BUDGET_NS = 950_000_000L;

  private static final ConcurrentHashMap<Name, Destination> ALL = new ConcurrentHashMap<>();
  private static final AtomicBoolean AT_EXIT = new AtomicBoolean();

  private record Name(String endpoint, String key, String userAgent) {}

  private final String session = newSessionId();
  private final String sdk;
  private final Sender sender;
  private final Agreements agreements = new Agreements();
  private final BoundedMap<String, String> conversations = new BoundedMap<>(CONVERSATIONS);
  private final BoundedMap<String, Boolean> surfaces = new BoundedMap<>(SURFACES);
  private final BoundedMap<String, Boolean> lists = new BoundedMap<>(SURFACES);
  private volatile boolean debug;
  private double credit = COLLECT_BURST;
  private long collectedAt = System.nanoTime();

  Destination(Settings settings, String sdk, Transport transport) {
    this.sdk = sdk;
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("Authorization", "Bearer " + settings.key());
    headers.put("Content-Type", "application/json");
    headers.put("User-Agent", sdk);
    sender = new Sender(headers, this::sayLazily, transport);
  }

  /** The destination of these settings, made if this process has none yet. */
  static Destination of(Settings settings, String sdk) {
    Destination destination =
        ALL.computeIfAbsent(
            new Name(settings.endpoint(), settings.key(), sdk),
            name -> new Destination(settings, sdk, new HttpTransport(settings.ingest())));
    if (settings.debug()) {
      destination.debug = true;
    }
    if (AT_EXIT.compareAndSet(false, true)) {
      try {
        Runtime.getRuntime().addShutdownHook(new Thread(Destination::atExit, "mcpulse-exit"));
      } catch (IllegalStateException itIsEnding) {
        destination.say("the process is ending already");
      }
    }
    return destination;
  }

  static String newSessionId() {
    return "s_" + Batch.randomHex(6);
  }

  /** The session of a conversation, random and not derived from its name; null is the process's. */
  String sessionOf(String conversation) {
    return conversation == null ? session : conversations.get(conversation, Destination::newSessionId);
  }

  LossReport loss() {
    return sender.loss;
  }

  void record(Payload.CallPayload call) {
    sender.push(call);
  }

  /** A declared tool may have returned a declared field. */
  void compare(Settings settings, Object tool, Object structured, String conversation) {
    if (settings.agreements().isEmpty() || structured == null) {
      return;
    }
    String named = conversation == null ? "" : conversation;
    long nowMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    for (Agreements.Verdict verdict :
        agreements.note(settings.agreements(), named, tool, structured, nowMs)) {
      sender.push(new Payload.AgreementPayload(session, verdict, System.currentTimeMillis()));
    }
  }

  /** Has the sender's thread do something, perhaps later. */
  boolean submit(long delayNs, Runnable work) {
    return sender.submit(delayNs, work);
  }

  /** In the sender's thread: looks at the tools clients see; new ones make a startup. */
  void recordTools(List<?> listed, Map<String, Object> facts, Settings settings) {
    List<Map<String, Object>> declared = new ArrayList<>();
    for (Settings.Agreement agreement : settings.agreements()) {
      declared.add(Map.of("field", agreement.field(), "tools", List.copyOf(agreement.tools().keySet())));
    }
    List<Map<?, ?>> entries = new ArrayList<>();
    for (Object entry : listed) {
      if (entry instanceof Map<?, ?> map && entries.size() < Fit.MAX_TOOLS) {
        entries.add(map);
      }
    }
    String seen = Canonical.of(List.of(entries, settings.policies(), declared));
    if (seen != null && lists.put(Canonical.hash12(seen), true) != null) {
      return;
    }
    List<Map<String, Object>> tools = new ArrayList<>();
    List<String> texts = new ArrayList<>();
    for (Map<?, ?> entry : entries) {
      tools.add(Tools.describe(entry, settings.policies().get(entry.get("name"))));
      texts.add(Json.of(tools.get(tools.size() - 1)));
    }
    // A surface is a set: the same tools in another order are the same surface.
    texts.sort(null);
    String fingerprint = Canonical.hash12(Json.of(List.of(texts, declared)));
    if (surfaces.put(fingerprint, true) != null) {
      return;
    }
    Map<String, Object> startup = Payload.begin("startup", session);
    startup.putAll(facts);
    startup.put("tools", tools);
    startup.put("sdk", sdk);
    if (!declared.isEmpty()) {
      startup.put("agreements", declared);
    }
    sender.lead(fingerprint, startup);
  }

  /**
   * Whether tools may be collected now, and if so, counts that they are. Servers built per request would
   * pay for it each time: a burst is free, then one per interval.
   */
  synchronized boolean mayCollect() {
    long now = System.nanoTime();
    credit = Math.min(COLLECT_BURST, credit + (now - collectedAt) / 1e9 / COLLECT_INTERVAL_S);
    collectedAt = now;
    if (credit < 1) {
      return false;
    }
    credit--;
    return true;
  }

  /** Writes a debug line, if anyone asked for them. */
  public void say(String text) {
    if (debug) {
      Debug.say(text);
    }
  }

  private void sayLazily(Supplier<String> text) {
    if (debug) {
      Debug.say(text.get());
    }
  }

  /** Sends everything recorded so far, to every destination. Says whether all of it was taken. */
  public static boolean flushAll(long timeoutNs) {
    long deadline = System.nanoTime() + timeoutNs;
    List<Sender.Flush> flushes = new ArrayList<>();
    for (Destination destination : ALL.values()) {
      flushes.add(destination.sender.beginFlush(deadline));
    }
    return Sender.await(flushes, deadline);
  }

  private static void atExit() {
    flushAll(EXIT_BUDGET_NS);
    for (Destination destination : ALL.values()) {
      Sender sender = destination.sender;
      destination.say("at exit: " + sender.loss + ", held " + sender.held());
    }
  }
}
