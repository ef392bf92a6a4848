package mcpulse.mcp;

import io.modelcontextprotocol.common.McpTransportContext;
import io.modelcontextprotocol.server.McpStatelessAsyncServer;
import io.modelcontextprotocol.server.McpStatelessRequestHandler;
import io.modelcontextprotocol.server.McpStatelessServerFeatures.AsyncToolSpecification;
import io.modelcontextprotocol.server.McpStatelessServerHandler;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import io.modelcontextprotocol.spec.McpStatelessServerTransport;
import java.lang.reflect.Field;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import mcpulse.core.Watcher;
import reactor.core.publisher.Mono;

/** A server without protocol sessions: each request stands alone, and says who asks or does not. */
final class StatelessServer implements Requests.Origin<McpTransportContext>, ToolList.Kind<McpTransportContext> {
  private final McpStatelessServerTransport transport;
  private final Requests<McpTransportContext> requests;
  private final ToolList<McpTransportContext> tools;

  private StatelessServer(
      McpStatelessAsyncServer server, McpStatelessServerTransport transport, Watcher watcher)
      throws ReflectiveOperationException {
    this.transport = transport;
    tools = new ToolList<>(server, this);
    requests =
        new Requests<>(watcher, StatefulServer.Mappers.of(transport, server), "http", this, tools);
  }

  /** Attaches to a server. False: it is watched already. */
  @SuppressWarnings("unchecked")
  static boolean attach(McpStatelessAsyncServer server, Watcher watcher)
      throws ReflectiveOperationException {
    var transport = (McpStatelessServerTransport) Fields.get(server, "mcpTransportProvider");
    Field field = Fields.ofType(transport, McpStatelessServerHandler.class);
    if (field == null) {
      throw new NoSuchFieldException("handler");
    }
    var handlers =
        (Map<String, McpStatelessRequestHandler<?>>) Fields.get(field.get(transport), "requestHandlers");
    if (handlers.get(McpSchema.METHOD_TOOLS_CALL) instanceof CallHandler) {
      return false;
    }
    new StatelessServer(server, transport, watcher).wrap(handlers);
    return true;
  }

  @SuppressWarnings("unchecked")
  private void wrap(Map<String, McpStatelessRequestHandler<?>> handlers)
      throws ReflectiveOperationException {
    McpStatelessRequestHandler<?> call = handlers.get(McpSchema.METHOD_TOOLS_CALL);
    var list = (McpStatelessRequestHandler<Object>) handlers.get(McpSchema.METHOD_TOOLS_LIST);
    var initialize = (McpStatelessRequestHandler<Object>) handlers.get(McpSchema.METHOD_INITIALIZE);
    if (call == null || list == null || initialize == null) {
      requests.nothingServed();
      return;
    }
    tools.look();
    requests.listsBy(list::handle);
    handlers.replace(McpSchema.METHOD_TOOLS_CALL, new CallHandler<>(call, requests));
    handlers.replace(
        McpSchema.METHOD_TOOLS_LIST,
        (McpStatelessRequestHandler<Object>) (context, params) -> requests.list(context, params, list::handle));
    handlers.replace(
        McpSchema.METHOD_INITIALIZE,
        (McpStatelessRequestHandler<Object>) (context, params) -> {
          greeted(context, params);
          return initialize.handle(context, params);
        });
  }

  private record CallHandler<T>(
      McpStatelessRequestHandler<T> handler, Requests<McpTransportContext> requests)
      implements McpStatelessRequestHandler<T> {
    @Override
    public Mono<T> handle(McpTransportContext context, Object params) {
      return requests.call(context, params, handler::handle);
    }
  }

  private void greeted(McpTransportContext context, Object params) {
    if (params instanceof Map<?, ?> members) {
      List<String> spoken = transport.protocolVersions();
      Object wanted = members.get("protocolVersion");
      Object name = members.get("clientInfo") instanceof Map<?, ?> info ? info.get("name") : null;
      requests.greeted(
          context,
          name instanceof String text ? text : null,
          spoken.contains(wanted) ? (String) wanted : spoken.get(spoken.size() - 1));
    }
  }

  @Override
  public String client(McpTransportContext context) {
    return null;
  }

  @Override
  public String protocol(McpTransportContext context) {
    return null;
  }

  @Override
  public String conversation(McpTransportContext context) {
    return null;
  }

  @Override
  public boolean endsBy(McpTransportContext context, Requests.Ending ending) {
    return false;
  }

  @Override
  public Tool tool(Object specification) {
    return ((AsyncToolSpecification) specification).tool();
  }

  @Override
  public BiFunction<McpTransportContext, CallToolRequest, Mono<CallToolResult>> handler(Object specification) {
    return ((AsyncToolSpecification) specification).callHandler();
  }

  @Override
  public Object specification(
      Tool tool, BiFunction<McpTransportContext, CallToolRequest, Mono<CallToolResult>> handler) {
    return new AsyncToolSpecification(tool, handler);
  }

  @Override
  public String delegateField() {
    return "delegateHandler";
  }
}
