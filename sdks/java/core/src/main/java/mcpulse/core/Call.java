package mcpulse.core;

import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import mcpulse.wire.Results;

/**
 * One {@code tools/call} on its way: what is measured when, and what is recorded in the end. Two layers
 * tell it what happens: that of the request, and the author's handler within it. No method raises.
 */
public final class Call {
  /** How far the author's handler got. */
  private enum Stage {
    NOT_RUN,
    RUNNING,
    RETURNED,
    RAISED
  }

  private final long begun = System.nanoTime();
  private final long startedMs = System.currentTimeMillis();
  private final Watcher watcher;
  private final Object name;
  private final String argsHash;
  private final String client;
  private final String conversation;
  private final AtomicBoolean done = new AtomicBoolean();
  private volatile Stage stage = Stage.NOT_RUN;
  private volatile boolean returnedError;
  private volatile Outcome blame;

  /**
   * Begins a call.
   *
   * @param name as the client sent it, whatever it is
   * @param argsHash of what the client sent, made before the handler can change it
   * @param client null when nobody said
   * @param conversation null when the protocol names none
   */
  public Call(Watcher watcher, Object name, String argsHash, String client, String conversation) {
    this.watcher = watcher;
    this.name = name;
    this.argsHash = argsHash;
    this.client = client;
    this.conversation = conversation;
  }

  /** The author's handler was entered. */
  public void running() {
    stage = Stage.RUNNING;
  }

  /** It returned a result. */
  public void returned(boolean isError) {
    returnedError = isError;
    stage = Stage.RETURNED;
  }

  /** It raised: deliberately, by the MCP SDK's own error, or not. */
  public void raised(boolean deliberately) {
    if (blame == null) {
      blame = deliberately ? Outcome.TOOL_ERROR : Outcome.CRASHED;
    }
    stage = Stage.RAISED;
  }

  /** The arguments were found wanting, by a check of the producer's own. */
  public void refused() {
    blame = Outcome.BAD_ARGS;
  }

  /** Whether the call is over. */
  public boolean isOver() {
    return done.get();
  }

  /** The request was answered with a result, as the client receives it; null for none. */
  public void answered(Object result) {
    long ended = System.nanoTime();
    if (!done.compareAndSet(false, true)) {
      return;
    }
    try {
      if (result instanceof Map<?, ?> map
          && map.get("resultType") instanceof String type
          && !type.equals("complete")) {
        watcher.unrecorded(type.equals("input_required") ? "input required" : "task");
        return;
      }
      long units = Results.measure(result);
      Outcome outcome = outcomeOf(result);
      record(outcome, units, outcome == Outcome.OK && Results.isEmpty(result), ended);
      if (outcome == Outcome.OK && result instanceof Map<?, ?> map) {
        watcher.destination.compare(
            watcher.settings, name, map.get("structuredContent"), conversation);
      }
    } catch (RuntimeException fault) {
      watcher.unrecorded("a fault of the producer's");
    }
  }

  private Outcome outcomeOf(Object result) {
    boolean saysError =
        result instanceof Map<?, ?> map && Boolean.TRUE.equals(map.get("isError"));
    if (blame != null) {
      return blame;
    }
    if (!saysError) {
      return Outcome.OK;
    }
    if (stage == Stage.NOT_RUN) {
      return Outcome.BAD_ARGS;
    }
    // Of what the author returned without an error, the MCP SDK has made one.
    return stage == Stage.RETURNED && !returnedError ? Outcome.CRASHED : Outcome.TOOL_ERROR;
  }

  /** The request was answered with a JSON-RPC error, or its result cannot be written. */
  public void failed() {
    long ended = System.nanoTime();
    if (!done.compareAndSet(false, true)) {
      return;
    }
    Outcome outcome =
        blame != null ? blame : stage == Stage.NOT_RUN ? Outcome.BAD_ARGS : Outcome.CRASHED;
    try {
      record(outcome, 0, false, ended);
    } catch (RuntimeException fault) {
      watcher.unrecorded("a fault of the producer's");
    }
  }

  /** The call is rightly not recorded, unless it has been already. */
  public void unrecorded(String reason) {
    if (done.compareAndSet(false, true)) {
      watcher.unrecorded(reason);
    }
  }

  private void record(Outcome outcome, long units, boolean isEmpty, long ended) {
    String session =
        watcher.destination.sessionOf(watcher.settings.perConversation() ? conversation : null);
    watcher.destination.record(
        new Payload.CallPayload(
            session, client, name, startedMs, (ended - begun) / 1_000_000, outcome,
            Math.max(0, units), isEmpty, argsHash));
    if (outcome != Outcome.BAD_ARGS) {
      watcher.surface.exists(name);
    }
  }
}
