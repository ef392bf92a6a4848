package mcpulse.mcp;

import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.server.McpAsyncServer;
import io.modelcontextprotocol.server.McpAsyncServerExchange;
import io.modelcontextprotocol.server.McpNotificationHandler;
import io.modelcontextprotocol.server.McpRequestHandler;
import io.modelcontextprotocol.server.McpServerFeatures.AsyncToolSpecification;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import io.modelcontextprotocol.spec.McpServerSession;
import io.modelcontextprotocol.spec.McpServerTransportProvider;
import io.modelcontextprotocol.spec.McpServerTransportProviderBase;
import io.modelcontextprotocol.spec.McpStreamableServerSession;
import io.modelcontextprotocol.spec.McpStreamableServerTransportProvider;
import java.lang.reflect.Field;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import mcpulse.core.BoundedMap;
import mcpulse.core.Watcher;
import reactor.core.publisher.Mono;

/** A server with protocol sessions: over stdio, streamable HTTP or SSE. */
final class StatefulServer implements Requests.Origin<McpAsyncServerExchange>, ToolList.Kind<McpAsyncServerExchange> {
  private static final int SESSIONS = 10_000;

  private final McpServerTransportProviderBase provider;
  private final boolean named;
  private final Requests<McpAsyncServerExchange> requests;
  private final ToolList<McpAsyncServerExchange> tools;
  /** The protocol of each session. */
  private final BoundedMap<String, String> protocols = new BoundedMap<>(SESSIONS);

  private StatefulServer(McpAsyncServer server, McpServerTransportProviderBase provider, Watcher watcher)
      throws ReflectiveOperationException {
    this.provider = provider;
    String transport = transportOf(provider);
    named = "http".equals(transport);
    tools = new ToolList<>(server, this);
    requests = new Requests<>(watcher, Mappers.of(provider, server), transport, this, tools);
  }

  /** Attaches to a server. False: it is watched already. */
  static boolean attach(McpAsyncServer server, Watcher watcher) throws ReflectiveOperationException {
    var provider = (McpServerTransportProviderBase) Fields.get(server, "mcpTransportProvider");
    StatefulServer watched = new StatefulServer(server, provider, watcher);
    if (provider instanceof McpStreamableServerTransportProvider streamable) {
      return watched.streamable(streamable);
    }
    Field session = Fields.ofType(provider, McpServerSession.class);
    return session != null
        ? watched.single(session)
        : watched.many((McpServerTransportProvider) provider);
  }

  private static String transportOf(McpServerTransportProviderBase provider) {
    if (provider instanceof McpStreamableServerTransportProvider) {
      return "http";
    }
    String name = provider.getClass().getSimpleName();
    return name.contains("Stdio") ? "stdio" : name.contains("Sse") ? "http" : null;
  }

  /** Streamable HTTP: a session for each client, all served by the same handlers. */
  private boolean streamable(McpStreamableServerTransportProvider streamable)
      throws ReflectiveOperationException {
    Field field = Fields.ofType(streamable, McpStreamableServerSession.Factory.class);
    if (field == null) {
      throw new NoSuchFieldException("factory");
    }
    var factory = (McpStreamableServerSession.Factory) field.get(streamable);
    if (factory instanceof ObservedStreamableSession.Factory) {
      return false;
    }
    wrap(Fields.get(factory, "requestHandlers"), Fields.get(factory, "notificationHandlers"));
    streamable.setSessionFactory(new ObservedStreamableSession.Factory(factory, this::begun));
    return true;
  }

  /** Standard input and output: one session, which exists already. */
  private boolean single(Field field) throws ReflectiveOperationException {
    McpServerSession session = (McpServerSession) field.get(provider);
    if (session instanceof ObservedServerSession) {
      return false;
    }
    wrap(Fields.get(session, "requestHandlers"), Fields.get(session, "notificationHandlers"));
    field.set(provider, new ObservedServerSession(session, this::begun));
    return true;
  }

  /** SSE: a session for each client, of handlers that only its sessions show. */
  private boolean many(McpServerTransportProvider sse) throws ReflectiveOperationException {
    Field field = Fields.ofType(sse, McpServerSession.Factory.class);
    if (field == null) {
      throw new NoSuchFieldException("factory");
    }
    McpServerSession.Factory factory = (McpServerSession.Factory) field.get(sse);
    if (factory instanceof ObservedServerSession.Factory) {
      return false;
    }
    tools.look();
    sse.setSessionFactory(
        new ObservedServerSession.Factory(
            factory,
            session -> {
              wrap(Fields.get(session, "requestHandlers"), Fields.get(session, "notificationHandlers"));
              return new ObservedServerSession(session, this::begun);
            }));
    return true;
  }

  @SuppressWarnings("unchecked")
  private synchronized void wrap(Object requestHandlers, Object notificationHandlers)
      throws ReflectiveOperationException {
    var handlers = (Map<String, McpRequestHandler<?>>) requestHandlers;
    var notifications = (Map<String, McpNotificationHandler>) notificationHandlers;
    McpRequestHandler<?> call = handlers.get(McpSchema.METHOD_TOOLS_CALL);
    if (call instanceof CallHandler) {
      return;
    }
    tools.look();
    var list = (McpRequestHandler<Object>) handlers.get(McpSchema.METHOD_TOOLS_LIST);
    McpNotificationHandler begun = notifications.get(McpSchema.METHOD_NOTIFICATION_INITIALIZED);
    if (call == null || list == null) {
      requests.nothingServed();
      return;
    }
    requests.listsBy(list::handle);
    // Entries that exist are replaced: other threads may be reading the map.
    handlers.replace(McpSchema.METHOD_TOOLS_CALL, new CallHandler<>(call, requests));
    handlers.replace(
        McpSchema.METHOD_TOOLS_LIST,
        (McpRequestHandler<Object>) (exchange, params) -> requests.list(exchange, params, list::handle));
    notifications.replace(
        McpSchema.METHOD_NOTIFICATION_INITIALIZED,
        (exchange, params) -> {
          requests.greeted(exchange, client(exchange), protocol(exchange));
          return begun.handle(exchange, params);
        });
  }

  private record CallHandler<T>(
      McpRequestHandler<T> handler, Requests<McpAsyncServerExchange> requests)
      implements McpRequestHandler<T> {
    @Override
    public Mono<T> handle(McpAsyncServerExchange exchange, Object params) {
      return requests.call(exchange, params, handler::handle);
    }
  }

  /** A protocol session begins; the server takes what the client wants, or offers its newest. */
  private void begun(String session, Object wanted) {
    List<String> spoken = provider.protocolVersions();
    protocols.put(
        session, spoken.contains(wanted) ? (String) wanted : spoken.get(spoken.size() - 1));
  }

  @Override
  public String client(McpAsyncServerExchange exchange) {
    return exchange.getClientInfo() == null ? null : exchange.getClientInfo().name();
  }

  @Override
  public String protocol(McpAsyncServerExchange exchange) {
    return exchange.sessionId() == null ? null : protocols.get(exchange.sessionId());
  }

  @Override
  public String conversation(McpAsyncServerExchange exchange) {
    return named ? exchange.sessionId() : null;
  }

  @Override
  public boolean endsBy(McpAsyncServerExchange exchange, Requests.Ending ending) {
    ObservedStreamableSession.Answers answers = ObservedStreamableSession.answersOf(exchange);
    if (answers == null) {
      return false;
    }
    answers.end(ending);
    return true;
  }

  @Override
  public Tool tool(Object specification) {
    return ((AsyncToolSpecification) specification).tool();
  }

  @Override
  public BiFunction<McpAsyncServerExchange, CallToolRequest, Mono<CallToolResult>> handler(Object specification) {
    return ((AsyncToolSpecification) specification).callHandler();
  }

  @Override
  public Object specification(
      Tool tool, BiFunction<McpAsyncServerExchange, CallToolRequest, Mono<CallToolResult>> handler) {
    return new AsyncToolSpecification(tool, handler);
  }

  @Override
  public String delegateField() {
    return "delegateCallToolResult";
  }

  /** How a transport writes JSON. */
  static final class Mappers {
    private Mappers() {}

    static McpJsonMapper of(Object transport, Object server) throws ReflectiveOperationException {
      Field field = Fields.ofType(transport, McpJsonMapper.class);
      return (McpJsonMapper) (field == null ? Fields.get(server, "jsonMapper") : field.get(transport));
    }
  }
}
