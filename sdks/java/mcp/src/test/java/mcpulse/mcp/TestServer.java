package mcpulse.mcp;

import io.modelcontextprotocol.json.McpJsonDefaults;
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
import jakarta.servlet.http.HttpServlet;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import mcpulse.core.Options;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import reactor.core.publisher.Mono;

/** Watched servers of each kind, with the tools of {@link TestTools}, and one that comes late. */
final class TestServer implements AutoCloseable {
  private static final ServerCapabilities TOOLS = ServerCapabilities.builder().tools(true).build();

  private final Server jetty = new Server();
  private final ServerConnector connector = new ServerConnector(jetty, 1, 1);

  private TestServer(HttpServlet servlet) throws Exception {
    connector.setHost("127.0.0.1");
    jetty.addConnector(connector);
    ServletContextHandler context = new ServletContextHandler("/");
    ServletHolder holder = new ServletHolder(servlet);
    holder.setAsyncSupported(true);
    context.addServlet(holder, "/mcp");
    jetty.setHandler(context);
    jetty.start();
  }

  String url() {
    return "http://127.0.0.1:" + connector.getLocalPort();
  }

  @Override
  public void close() throws Exception {
    jetty.stop();
  }

  /** Serves over standard input and output. */
  public static void main(String[] args) {
    McpSyncServer server =
        McpServer.sync(new StdioServerTransportProvider(McpJsonDefaults.getMapper()))
            .serverInfo("test", "1").capabilities(TOOLS).tools(all(TestServer::sync)).build();
    McpPulse.watch(server).addTool(sync("late", late()));
  }

  static TestServer http(String kind, Consumer<Options> options) throws Exception {
    if (kind.startsWith("stateless")) {
      var transport = HttpServletStatelessServerTransport.builder().build();
      if (kind.endsWith("async")) {
        McpStatelessAsyncServer server =
            McpServer.async(transport).serverInfo("test", "1").capabilities(TOOLS).tools(all(TestServer::statelessAsync)).build();
        McpPulse.watch(server, options).addTool(statelessAsync("late", late())).block();
      } else {
        McpStatelessSyncServer server =
            McpServer.sync(transport).serverInfo("test", "1").capabilities(TOOLS).tools(all(TestServer::statelessSync)).build();
        McpPulse.watch(server, options).addTool(statelessSync("late", late()));
      }
      return new TestServer(transport);
    }
    var provider = HttpServletStreamableServerTransportProvider.builder().build();
    if (kind.equals("async")) {
      McpAsyncServer server =
          McpServer.async(provider).serverInfo("test", "1").capabilities(TOOLS).tools(all(TestServer::async)).build();
      McpPulse.watch(server, options).addTool(async("late", late())).block();
    } else {
      McpSyncServer server =
          McpServer.sync(provider).serverInfo("test", "1").capabilities(TOOLS).tools(all(TestServer::sync)).build();
      McpPulse.watch(server, options).addTool(sync("late", late()));
    }
    return new TestServer(provider);
  }

  private interface Made<T> {
    T of(String name, Function<Map<String, Object>, CallToolResult> run);
  }

  private static <T> List<T> all(Made<T> made) {
    return TestTools.ALL.entrySet().stream()
        .map(tool -> made.of(tool.getKey(), tool.getValue()))
        .collect(Collectors.toList());
  }

  private static Function<Map<String, Object>, CallToolResult> late() {
    return args -> TestTools.text("late");
  }

  private static McpServerFeatures.SyncToolSpecification sync(String name, Function<Map<String, Object>, CallToolResult> run) {
    return new McpServerFeatures.SyncToolSpecification(TestTools.tool(name), (exchange, request) -> run.apply(request.arguments()));
  }

  private static McpServerFeatures.AsyncToolSpecification async(String name, Function<Map<String, Object>, CallToolResult> run) {
    return new McpServerFeatures.AsyncToolSpecification(TestTools.tool(name), (exchange, request) -> Mono.fromCallable(() -> run.apply(request.arguments())));
  }

  private static McpStatelessServerFeatures.SyncToolSpecification statelessSync(String name, Function<Map<String, Object>, CallToolResult> run) {
    return new McpStatelessServerFeatures.SyncToolSpecification(TestTools.tool(name), (context, request) -> run.apply(request.arguments()));
  }

  private static McpStatelessServerFeatures.AsyncToolSpecification statelessAsync(String name, Function<Map<String, Object>, CallToolResult> run) {
    return new McpStatelessServerFeatures.AsyncToolSpecification(
        TestTools.tool(name), (context, request) -> Mono.fromCallable(() -> run.apply(request.arguments())));
  }
}
