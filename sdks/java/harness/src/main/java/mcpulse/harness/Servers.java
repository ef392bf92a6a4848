package mcpulse.harness;

import io.modelcontextprotocol.server.McpAsyncServer;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpServerFeatures;
import io.modelcontextprotocol.server.McpStatelessAsyncServer;
import io.modelcontextprotocol.server.McpStatelessServerFeatures;
import io.modelcontextprotocol.server.McpStatelessSyncServer;
import io.modelcontextprotocol.server.McpSyncServer;
import io.modelcontextprotocol.server.transport.HttpServletStatelessServerTransport;
import io.modelcontextprotocol.server.transport.HttpServletStreamableServerTransportProvider;
import io.modelcontextprotocol.server.transport.StdioServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.ServerCapabilities;
import io.modelcontextprotocol.spec.McpServerTransportProvider;
import io.modelcontextprotocol.spec.McpStreamableServerTransportProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import mcpulse.core.Options;
import mcpulse.mcp.McpPulse;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Servers of the MCP SDK with the kit's tools, watched or not. */
final class Servers {
  private static final ServerCapabilities CAPABILITIES = ServerCapabilities.builder().tools(true).build();

  private final Flags flags;
  /** Tools that servers have which are made from now on. */
  private final List<KitTool> more = new CopyOnWriteArrayList<>();

  Servers(Flags flags) {
    this.flags = flags;
  }

  /** A server object, and what it is reached by. */
  record Made(Object server, jakarta.servlet.Servlet servlet) {}

  private void configure(Options options) {
    options
        .debug(flags.debug)
        .sessionPerConversation(flags.perConversation)
        .policy("strict", "authorization")
        .policy("never_called", "identity")
        .agreement("amount", Map.of("price_a", "/order/amount", "price_b", "/order/amount"));
  }

  /** What a server is built with: the tools, unless it is watched before it has any. */
  private List<KitTool> atFirst(Late late) {
    List<KitTool> tools = new ArrayList<>(KitTool.all());
    tools.add(
        KitTool.plain(
            "grow",
            args -> {
              if (more.isEmpty()) {
                more.add(KitTool.always("grown", "grown"));
              }
              late.add.accept(more.get(0));
              return KitTool.text("grown");
            }));
    tools.addAll(more);
    late.tools = flags.early ? tools : List.of();
    return flags.early ? List.of() : tools;
  }

  /** What is done to a server once it is built. */
  private static final class Late {
    Consumer<KitTool> add;
    List<KitTool> tools;
  }

  private void finish(Late late, Runnable watch) {
    for (int count = flags.watched ? flags.twice ? 2 : 1 : 0; count > 0; count--) {
      watch.run();
    }
    late.tools.forEach(late.add);
    late.add.accept(KitTool.always("late", "late"));
  }

  void stdio() {
    // Others with the same tools, which nobody speaks to.
    for (int count = 1; count < flags.servers; count++) {
      forSessions("/mcp" + count);
    }
    withSessions(new StdioServerTransportProvider(KitTool.JSON), null);
  }

  /** A server for all sessions of streamable HTTP. */
  Made forSessions(String path) {
    var provider = HttpServletStreamableServerTransportProvider.builder().mcpEndpoint(path).build();
    return new Made(withSessions(null, provider), provider);
  }

  private Object withSessions(McpServerTransportProvider single, McpStreamableServerTransportProvider many) {
    Late late = new Late();
    List<KitTool> tools = atFirst(late);
    if (flags.sdk.equals("async")) {
      var specification = single == null ? McpServer.async(many) : McpServer.async(single);
      McpAsyncServer server =
          specification
              .serverInfo("harness", "1")
              .capabilities(CAPABILITIES)
              .tools(tools.stream().map(Servers::asynchronous).toList())
              .build();
      late.add = tool -> server.addTool(asynchronous(tool)).block();
      finish(late, () -> McpPulse.watch(server, this::configure));
      return server;
    }
    var specification = single == null ? McpServer.sync(many) : McpServer.sync(single);
    McpSyncServer server =
        specification
            .serverInfo("harness", "1")
            .capabilities(CAPABILITIES)
            .tools(tools.stream().map(Servers::synchronous).toList())
            .build();
    late.add = tool -> server.addTool(synchronous(tool));
    finish(late, () -> McpPulse.watch(server, this::configure));
    return server;
  }

  private static McpServerFeatures.SyncToolSpecification synchronous(KitTool tool) {
    return new McpServerFeatures.SyncToolSpecification(
        tool.tool(), (exchange, request) -> tool.run().apply(request.arguments()));
  }

  private static McpServerFeatures.AsyncToolSpecification asynchronous(KitTool tool) {
    return new McpServerFeatures.AsyncToolSpecification(
        tool.tool(), (exchange, request) -> later(tool, request.arguments()));
  }

  private static Mono<CallToolResult> later(KitTool tool, Map<String, Object> args) {
    return Mono.fromCallable(() -> tool.run().apply(args)).subscribeOn(Schedulers.boundedElastic());
  }

  /** A server object for a single request. */
  Made forOneRequest() {
    return forOneRequest("/mcp");
  }

  Made forOneRequest(String path) {
    var transport = HttpServletStatelessServerTransport.builder().messageEndpoint(path).build();
    Late late = new Late();
    List<KitTool> tools = atFirst(late);
    if (flags.sdk.equals("async")) {
      McpStatelessAsyncServer server =
          McpServer.async(transport)
              .serverInfo("harness", "1")
              .capabilities(CAPABILITIES)
              .tools(tools.stream().map(Servers::statelessAsynchronous).toList())
              .build();
      late.add = tool -> server.addTool(statelessAsynchronous(tool)).block();
      finish(late, () -> McpPulse.watch(server, this::configure));
      return new Made(server, transport);
    }
    McpStatelessSyncServer server =
        McpServer.sync(transport)
            .serverInfo("harness", "1")
            .capabilities(CAPABILITIES)
            .tools(tools.stream().map(Servers::statelessSynchronous).toList())
            .build();
    late.add = tool -> server.addTool(statelessSynchronous(tool));
    finish(late, () -> McpPulse.watch(server, this::configure));
    return new Made(server, transport);
  }

  private static McpStatelessServerFeatures.SyncToolSpecification statelessSynchronous(KitTool tool) {
    return new McpStatelessServerFeatures.SyncToolSpecification(
        tool.tool(), (context, request) -> tool.run().apply(request.arguments()));
  }

  private static McpStatelessServerFeatures.AsyncToolSpecification statelessAsynchronous(KitTool tool) {
    return new McpStatelessServerFeatures.AsyncToolSpecification(
        tool.tool(), (context, request) -> later(tool, request.arguments()));
  }

  /** The paths that servers are reached at over HTTP. */
  List<String> paths() {
    List<String> paths = new ArrayList<>(List.of("/mcp"));
    for (int number = 2; number <= flags.servers; number++) {
      paths.add("/mcp" + number);
    }
    return paths;
  }
}
