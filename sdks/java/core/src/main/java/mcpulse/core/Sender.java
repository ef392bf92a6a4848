package mcpulse.core;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The ring and what leaves it: batches, retries, the startup that leads them, and the flushes.
 *
 * <p>One sender serves one destination, from a daemon thread of its own. What runs on the path of a call
 * is {@link #push}: it appends to a queue without locks, and perhaps wakes the thread.
 */
final class Sender {
  /** The ring holds this many payloads, those of a waiting batch included. */
  static final int RING_CAPACITY = 1000;

  static final int BATCH_SIZE = 30;
  static final long BATCH_AGE_NS = 5_000_000_000L;
  static final long RETRY_NS = 5_000_000_000L;

  /** So many startups wait outside the ring; only a server with a surface for each user has more. */
  private static final int STARTUPS = 20;

  private static final int WORKS = 64;

  /** Something to do in the sender's thread, not before its time. */
  private record Work(long due, Runnable run) implements Comparable<Work> {
    @Override
    public int compareTo(Work other) {
      return Long.signum(due - other.due);
    }
  }

  /** A wish that everything be sent. */
  static final class Flush {
    final long deadline;
    final CountDownLatch done = new CountDownLatch(1);
    volatile boolean sent;

    Flush(long deadline) {
      this.deadline = deadline;
    }
  }

  final LossReport loss = new LossReport();
  private final Map<String, String> headers;
  private final Consumer<Supplier<String>> say;
  private final Transport transport;

  private final ConcurrentLinkedQueue<Payload> ring = new ConcurrentLinkedQueue<>();
  private final AtomicInteger ringCount = new AtomicInteger();
  private final ConcurrentLinkedQueue<Work> works = new ConcurrentLinkedQueue<>();
  private final AtomicInteger workCount = new AtomicInteger();
  private final ConcurrentLinkedQueue<Flush> flushes = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean started = new AtomicBoolean();
  private volatile Thread thread;
  /** The thread wants to be woken when so many payloads are held. */
  private volatile int need = 1;

  // Of the sender's thread only.
  private final PriorityQueue<Work> waiting = new PriorityQueue<>();
  private final Map<String, Map<String, Object>> startups = new LinkedHashMap<>();
  private boolean startupDue;
  private volatile Batch batch;
  /** Taken from the ring, and too large for the batch before. */
  private volatile String carried;
  private long oldestAt;
  private boolean aging;
  /** No request before this, and none at all, not even at exit, before the ingest's wish. */
  private long notBefore = System.nanoTime();
  private long askedToWaitUntil = System.nanoTime();

  Sender(Map<String, String> headers, Consumer<Supplier<String>> say, Transport transport) {
    this.headers = headers;
    this.say = say;
    this.transport = transport;
  }

  // On the path of a call.

  /** Takes a payload. Never blocks; at capacity the oldest is dropped and counted. */
  void push(Payload payload) {
    loss.recorded();
    ring.add(payload);
    int count = ringCount.incrementAndGet();
    if (count > RING_CAPACITY && take() != null) {
      loss.dropped("ring full", 1);
    }
    if (count >= need) {
      wake();
    }
  }

  private Payload take() {
    Payload oldest = ring.poll();
    if (oldest != null) {
      ringCount.decrementAndGet();
    }
    return oldest;
  }

  /** Has the thread do something that would take too long here, or not yet. False: too much to do. */
  boolean submit(long delayNs, Runnable work) {
    if (workCount.incrementAndGet() > WORKS) {
      workCount.decrementAndGet();
      return false;
    }
    works.add(new Work(System.nanoTime() + delayNs, work));
    wake();
    return true;
  }

  private void wake() {
    need = Integer.MAX_VALUE;
    if (started.compareAndSet(false, true)) {
      try {
        // Nothing of the host's thread is taken over, its class loader least of all.
        Thread sender = new Thread(null, this::run, "mcpulse", 0, false);
        sender.setDaemon(true);
        sender.setContextClassLoader(null);
        thread = sender;
        sender.start();
      } catch (OutOfMemoryError noThread) {
        // The next payload tries again.
        started.set(false);
      }
    } else {
      LockSupport.unpark(thread);
    }
  }

  // In the sender's thread.

  /** Makes this the startup that leads every batch until one is taken. */
  void lead(String fingerprint, Map<String, Object> payload) {
    loss.recorded();
    startups.put(fingerprint, payload);
    startupDue = true;
    if (startups.size() > STARTUPS) {
      Iterator<String> oldest = startups.keySet().iterator();
      oldest.next();
      oldest.remove();
      loss.dropped("too many surfaces", 1);
    }
  }

  private void run() {
    while (true) {
      try {
        step();
      } catch (Throwable fault) {
        // Of ours, in a thread of ours. Not its text: that may hold anything.
        String kind = fault.getClass().getSimpleName();
        say.accept(() -> "not sending for now: " + kind + " in the sender");
        LockSupport.parkNanos(1_000_000_000L);
      }
    }
  }

  private void step() {
    Flush flush = flushes.poll();
    runWorks(flush != null);
    if (flush != null) {
      try {
        flush.sent = drain(flush.deadline);
      } finally {
        flush.done.countDown();
      }
      return;
    }
    long now = System.nanoTime();
    Long wait = waitNs(now);
    if (wait != null && wait == 0) {
      exchange(now + Transport.REQUEST_TIMEOUT_NS);
    } else {
      sleep(wait, now);
    }
  }

  private void runWorks(boolean all) {
    for (Work work = works.poll(); work != null; work = works.poll()) {
      waiting.add(work);
    }
    while (!waiting.isEmpty() && (all || waiting.peek().due() - System.nanoTime() <= 0)) {
      Work work = waiting.poll();
      workCount.decrementAndGet();
      work.run().run();
    }
  }

  /** How long until something is due; null when there is nothing to send. */
  private Long waitNs(long now) {
    int count = ringCount.get() + (carried == null ? 0 : 1);
    long due;
    if (batch != null || count >= BATCH_SIZE) {
      due = now;
    } else if (count > 0 || startupDue && !startups.isEmpty()) {
      if (!aging) {
        aging = true;
        oldestAt = now;
      }
      due = oldestAt + BATCH_AGE_NS;
    } else {
      aging = false;
      return null;
    }
    return Math.max(0, Math.max(due - now, notBefore - now));
  }

  private void sleep(Long wait, long now) {
    Long until = wait;
    if (!waiting.isEmpty()) {
      long work = Math.max(1, waiting.peek().due() - now);
      until = until == null ? work : (Long) Math.min(until, work);
    }
    int wanted = wait == null ? 1 : notBefore - now > 0 ? Integer.MAX_VALUE : BATCH_SIZE;
    // Whoever pushes from here on wakes the thread; whoever did before is seen below.
    need = wanted;
    if (ringCount.get() < wanted && works.isEmpty() && flushes.isEmpty()) {
      if (until == null) {
        LockSupport.park(this);
      } else {
        LockSupport.parkNanos(this, until);
      }
      Thread.interrupted();
    }
  }

  /** Sends one batch. Says whether it was taken. */
  private boolean exchange(long deadline) {
    if (batch == null) {
      batch = nextBatch();
    }
    makeRoom();
    Batch current = batch;
    if (current.isEmpty()) {
      batch = null;
      return true;
    }
    say.accept(() -> "sending " + String.join("\nsending ", current.payloads()));
    Map<String, String> all = new LinkedHashMap<>(headers);
    all.put("Idempotency-Key", current.idempotencyKey);
    Transport.Answer answer = transport.post(all, current.body(), deadline);
    aging = !ring.isEmpty();
    oldestAt = System.nanoTime();
    return answered(current, answer);
  }

  private Batch nextBatch() {
    Batch next = new Batch();
    next.lead(startups);
    while (true) {
      String text = carried;
      carried = null;
      if (text == null) {
        Payload payload = take();
        if (payload == null) {
          return next;
        }
        try {
          text = Json.of(payload.wire());
        } catch (RuntimeException notRepresentable) {
          loss.dropped("not representable", 1);
          continue;
        }
      }
      if (!next.add(text)) {
        carried = text;
        return next;
      }
    }
  }

  /** A waiting batch counts as part of the ring, and as its oldest part. */
  private void makeRoom() {
    while (held() > RING_CAPACITY && batch.texts.poll() != null) {
      loss.dropped("ring full", 1);
    }
  }

  private boolean answered(Batch current, Transport.Answer answer) {
    int status = answer.status();
    if (status == 202) {
      loss.sent(current.texts.size());
      for (Batch.Startup startup : current.startups) {
        if (startups.remove(startup.fingerprint()) != null) {
          loss.sent(1);
        }
      }
      startupDue &= !startups.isEmpty();
      notBefore = System.nanoTime();
      batch = null;
      say.accept(() -> "taken: " + current.payloads().size() + " payloads");
      return true;
    }
    long now = System.nanoTime();
    // Spread out, so that a fleet does not come back at the same instant.
    notBefore = now + RETRY_NS + ThreadLocalRandom.current().nextLong(1_000_000_000L);
    String what = status == 0 ? "nothing answered" : "the ingest answered " + status;
    if (status != 0 && status != 429 && status != 503) {
      int lost = current.texts.size();
      say.accept(() -> "not sent: " + what + "; " + lost + " payloads dropped");
      loss.dropped("answered " + status, lost);
      // Startups lead the next batch, but do not make one.
      startupDue = false;
      batch = null;
      return false;
    }
    long asked = TimeUnit.MILLISECONDS.toNanos(RetryAfter.ms(answer.retryAfter(), System.currentTimeMillis()));
    askedToWaitUntil = now + asked;
    if (askedToWaitUntil - notBefore > 0) {
      notBefore = askedToWaitUntil;
    }
    long seconds = TimeUnit.NANOSECONDS.toSeconds(notBefore - now);
    say.accept(() -> "not sent: " + what + "; trying again in " + seconds + " s");
    return false;
  }

  /** Sends everything, now. Says whether all of it was taken. */
  private boolean drain(long deadline) {
    while (waitNs(System.nanoTime()) != null) {
      long now = System.nanoTime();
      if (now - askedToWaitUntil < 0 || now - deadline >= 0) {
        return false;
      }
      long soon = now + Transport.REQUEST_TIMEOUT_NS;
      if (!exchange(deadline - soon < 0 ? deadline : soon)) {
        return false;
      }
    }
    return true;
  }

  // Anywhere.

  /** Has everything sent as soon as can be, until a deadline by {@link System#nanoTime}. */
  Flush beginFlush(long deadline) {
    Flush flush = new Flush(deadline);
    if (!started.get() && ringCount.get() == 0) {
      flush.sent = true;
      flush.done.countDown();
      return flush;
    }
    flushes.add(flush);
    wake();
    return flush;
  }

  /** How many payloads are held, those of a waiting batch included. */
  int held() {
    Batch current = batch;
    int waits = current == null ? 0 : current.texts.size();
    return ringCount.get() + waits + (carried == null ? 0 : 1);
  }

  /** Waits for flushes until a deadline. Says whether everything was sent. */
  static boolean await(List<Flush> flushes, long deadline) {
    boolean sent = true;
    for (Flush flush : new ArrayList<>(flushes)) {
      try {
        long left = Math.max(0, deadline - System.nanoTime());
        sent &= flush.done.await(left, TimeUnit.NANOSECONDS) && flush.sent;
      } catch (InterruptedException ended) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
    return sent;
  }
}
