package mcpulse.core;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import mcpulse.wire.Fit;

/** The tools clients see: collected once, and again when they change. */
public final class Surface {
  /** A client that has just connected nearly always lists the tools itself within this time. */
  private static final long GREETING_NS = 500_000_000L;
  /** A server that pages without end is not followed further. */
  private static final int PAGES = 100;

  /** What a request says about its client. The transport is {@code stdio}, {@code http} or null. */
  public record Facts(String client, String protocol, String transport) {}

  /** Lists the tools from a cursor on. Exactly one of the two is called, once, at any time. */
  @FunctionalInterface
  public interface Lister {
    /** Gives the result as the client would receive it: maps, lists and so on. */
    void page(String cursor, Consumer<Object> got, Runnable failed) throws Exception;
  }

  /** So many names of tools that are not listed are remembered. */
  private static final int UNLISTED = 1000;

  private final Watcher watcher;
  private final String mcpSdkVersion;
  private volatile Set<String> names = Set.of();
  private final Set<Object> unlisted = ConcurrentHashMap.newKeySet();
  private volatile boolean known;
  private volatile boolean collecting;
  private volatile boolean told;
  /** What is scheduled; whatever was before, for later, is called off by a newer one. */
  private Object scheduled;
  private long due;

  Surface(Watcher watcher, String mcpSdkVersion) {
    this.watcher = watcher;
    this.mcpSdkVersion = mcpSdkVersion;
  }

  /** The tools may be others than before. */
  public void changed() {
    unlisted.clear();
    known = false;
  }

  /** A tool exists, listed or not: one that is not listed may have been added since. */
  void exists(Object name) {
    if (!known || !(name instanceof String) || names.contains(name)) {
      return;
    }
    // Once for each name: some servers serve tools they do not list.
    if (unlisted.size() < UNLISTED && unlisted.add(name)) {
      known = false;
    }
  }

  /** A client connected: it may be another than before, and see other tools. */
  public void greeted(Lister lister, Facts facts) {
    known = false;
    schedule(GREETING_NS, lister, facts);
  }

  /** Whether the tools have to be collected; asked on every call. */
  public boolean wants() {
    return !known && !collecting;
  }

  /** A tool is being called, and the tools are wanted. */
  public void calling(Lister lister, Facts facts) {
    schedule(0, lister, facts);
  }

  /** A client listed the tools: what it got is the surface, if it got all of it. */
  public void listed(boolean partial, Facts facts, Resolver result) {
    watcher.destination.submit(
        0,
        () -> {
          Map<?, ?> page = pageOf(result);
          boolean all = page != null && page.get("nextCursor") == null && !partial;
          if (all && page.get("tools") instanceof List<?> tools) {
            record(tools, facts);
          }
        });
  }

  /** Makes the result of {@code tools/list}, in the sender's thread. */
  @FunctionalInterface
  public interface Resolver {
    /** The result as the client receives it. */
    Object get() throws Exception;
  }

  private static Map<?, ?> pageOf(Resolver result) {
    try {
      return result.get() instanceof Map<?, ?> page ? page : null;
    } catch (Exception notRead) {
      return null;
    }
  }

  private synchronized void schedule(long delayNs, Lister lister, Facts facts) {
    long at = System.nanoTime() + delayNs;
    if (collecting || scheduled != null && at - due >= 0) {
      return;
    }
    if (!watcher.destination.mayCollect()) {
      return;
    }
    Object ticket = new Object();
    scheduled = ticket;
    due = at;
    boolean taken =
        watcher.destination.submit(
            delayNs,
            () -> {
              if (isDue(ticket)) {
                next(null, new ArrayList<>(), 0, lister, facts);
              }
            });
    if (!taken) {
      scheduled = null;
    }
  }

  private synchronized boolean isDue(Object ticket) {
    if (scheduled != ticket) {
      return false;
    }
    scheduled = null;
    collecting = true;
    return true;
  }

  private void next(String cursor, List<Object> entries, int pages, Lister lister, Facts facts) {
    try {
      lister.page(cursor, page -> watcher.destination.submit(0, () -> add(page, entries, pages, lister, facts)), this::failed);
    } catch (Exception failed) {
      failed();
    }
  }

  private void add(Object page, List<Object> entries, int pages, Lister lister, Facts facts) {
    if (!(page instanceof Map<?, ?> result) || !(result.get("tools") instanceof List<?> tools)) {
      failed();
      return;
    }
    entries.addAll(tools);
    boolean more = entries.size() < Fit.MAX_TOOLS && pages < PAGES;
    if (more && result.get("nextCursor") instanceof String cursor) {
      next(cursor, entries, pages + 1, lister, facts);
    } else {
      record(entries, facts);
    }
  }

  private void failed() {
    collecting = false;
    // The author's own code may have failed, so the error is not looked at.
    watcher.say("the tools could not be listed; trying again on the next request");
  }

  private void record(List<?> entries, Facts facts) {
    Set<String> listed = new HashSet<>();
    for (Object entry : entries) {
      if (entry instanceof Map<?, ?> map && map.get("name") instanceof String name) {
        listed.add(name);
      }
    }
    names = listed;
    synchronized (this) {
      scheduled = null;
      collecting = false;
      known = true;
    }
    Map<String, Object> wire = new LinkedHashMap<>();
    wire.put("client_name", Fit.name(facts.client(), Fit.MAX_CLIENT_NAME));
    put(wire, "mcp_sdk_version", Fit.version(mcpSdkVersion));
    put(wire, "protocol_version", Fit.version(facts.protocol()));
    put(wire, "transport", facts.transport());
    watcher.destination.recordTools(entries, wire, watcher.settings);
    if (!told) {
      told = true;
      watcher.say("watching " + entries.size() + " of " + entries.size() + " tools");
    }
  }

  private static void put(Map<String, Object> wire, String name, String value) {
    if (value != null) {
      wire.put(name, value);
    }
  }
}
