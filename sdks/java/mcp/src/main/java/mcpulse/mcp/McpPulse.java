package mcpulse.mcp;

import io.modelcontextprotocol.server.McpAsyncServer;
import io.modelcontextprotocol.server.McpStatelessAsyncServer;
import io.modelcontextprotocol.server.McpStatelessSyncServer;
import io.modelcontextprotocol.server.McpSyncServer;
import java.time.Duration;
import java.util.function.Consumer;
import mcpulse.core.Destination;
import mcpulse.core.Options;
import mcpulse.core.Watcher;

/**
 * Watches MCP servers. Each {@code watch} returns the same server and never raises: when something is
 * wrong, the server is left as it was, and the option {@code debug} says why. Call it right after
 * {@code build()}; tools may be registered before or after.
 */
public final class McpPulse {
  /** How this producer calls itself. */
  public static final String SDK = "mcpulse-java/0.1.0";

  private static final Consumer<Options> DEFAULTS = options -> {};

  private McpPulse() {}

  /** Watches a server with the options of the environment: {@code MCPULSE_KEY}, {@code MCPULSE_ENDPOINT}. */
  public static McpSyncServer watch(McpSyncServer server) {
    return watch(server, DEFAULTS);
  }

  /** Watches a server. */
  public static McpSyncServer watch(McpSyncServer server, Consumer<Options> options) {
    attach(options, watcher -> StatefulServer.attach((McpAsyncServer) Fields.get(server, "asyncServer"), watcher));
    return server;
  }

  /** Watches a server with the options of the environment. */
  public static McpAsyncServer watch(McpAsyncServer server) {
    return watch(server, DEFAULTS);
  }

  /** Watches a server. */
  public static McpAsyncServer watch(McpAsyncServer server, Consumer<Options> options) {
    attach(options, watcher -> StatefulServer.attach(server, watcher));
    return server;
  }

  /** Watches a server with the options of the environment. */
  public static McpStatelessSyncServer watch(McpStatelessSyncServer server) {
    return watch(server, DEFAULTS);
  }

  /** Watches a server. */
  public static McpStatelessSyncServer watch(
      McpStatelessSyncServer server, Consumer<Options> options) {
    attach(
        options,
        watcher -> StatelessServer.attach((McpStatelessAsyncServer) Fields.get(server, "asyncServer"), watcher));
    return server;
  }

  /** Watches a server with the options of the environment. */
  public static McpStatelessAsyncServer watch(McpStatelessAsyncServer server) {
    return watch(server, DEFAULTS);
  }

  /** Watches a server. */
  public static McpStatelessAsyncServer watch(
      McpStatelessAsyncServer server, Consumer<Options> options) {
    attach(options, watcher -> StatelessServer.attach(server, watcher));
    return server;
  }

  /**
   * Sends everything recorded so far, for every watched server. Blocks for at most so long.
   *
   * @return whether all of it was taken
   */
  public static boolean flush(Duration timeout) {
    try {
      return Destination.flushAll(timeout.toNanos());
    } catch (RuntimeException fault) {
      return false;
    }
  }

  private interface Attachment {
    /** Attaches. False: watched already. */
    boolean to(Watcher watcher) throws ReflectiveOperationException;
  }

  // LinkageError: an MCP SDK of another version than this was built for.
  private static void attach(Consumer<Options> configure, Attachment attachment) {
    Options options = new Options();
    try {
      configure.accept(options);
      Consumer<String> complain = Watcher.complaints(options);
      try {
        String version = io.modelcontextprotocol.server.McpServer.class.getPackage().getImplementationVersion();
        Watcher watcher = Watcher.of(options, SDK, version, complain);
        if (watcher != null && !attachment.to(watcher)) {
          complain.accept("already watching this server: the first watch() counts");
        }
      } catch (Exception | LinkageError notSupported) {
        complain.accept("not watching: this server could not be attached to");
      }
    } catch (RuntimeException wrongOptions) {
      // The host's own code failed while it set them: nothing is watched.
      Watcher.complaints(options).accept("off: the options could not be read");
    }
  }
}
