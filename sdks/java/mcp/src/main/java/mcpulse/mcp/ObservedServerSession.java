package mcpulse.mcp;

import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.server.McpInitRequestHandler;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpServerSession;
import io.modelcontextprotocol.spec.McpServerTransport;
import java.time.Duration;
import java.util.Map;
import java.util.function.BiConsumer;
import reactor.core.publisher.Mono;

/**
 * A session over stdio or SSE that knows which requests are not answered yet. All is done by the session
 * it stands before, which may have begun already.
 */
final class ObservedServerSession extends McpServerSession {
  private final McpServerSession session;
  private final BiConsumer<String, Object> begun;
  private final InFlight inFlight = new InFlight();

  ObservedServerSession(McpServerSession session, BiConsumer<String, Object> begun)
      throws ReflectiveOperationException {
    super(
        session.getId(),
        (Duration) Fields.get(session, "requestTimeout"),
        (McpServerTransport) Fields.get(session, "transport"),
        (McpInitRequestHandler) Fields.get(session, "initRequestHandler"),
        Map.of(),
        Map.of());
    this.session = session;
    this.begun = begun;
  }

  @Override
  public Mono<Void> handle(McpSchema.JSONRPCMessage message) {
    if (message instanceof McpSchema.JSONRPCNotification notification) {
      inFlight.noted(notification);
    } else if (message instanceof McpSchema.JSONRPCRequest request) {
      if (McpSchema.METHOD_INITIALIZE.equals(request.method())
          && request.params() instanceof Map<?, ?> params) {
        begun.accept(session.getId(), params.get("protocolVersion"));
      }
      return inFlight.during(request, session.handle(message));
    }
    return session.handle(message);
  }

  @Override
  public String getId() {
    return session.getId();
  }

  @Override
  public void init(McpSchema.ClientCapabilities capabilities, McpSchema.Implementation client) {
    session.init(capabilities, client);
  }

  @Override
  public void setMinLoggingLevel(McpSchema.LoggingLevel level) {
    session.setMinLoggingLevel(level);
  }

  @Override
  public boolean isNotificationForLevelAllowed(McpSchema.LoggingLevel level) {
    return session.isNotificationForLevelAllowed(level);
  }

  @Override
  public <T> Mono<T> sendRequest(String method, Object params, TypeRef<T> type) {
    return session.sendRequest(method, params, type);
  }

  @Override
  public Mono<Void> sendNotification(String method, Object params) {
    return session.sendNotification(method, params);
  }

  @Override
  public Mono<Void> closeGracefully() {
    return session.closeGracefully();
  }

  @Override
  public void close() {
    session.close();
  }

  /** Makes an observed session of another. */
  interface Observer {
    McpServerSession observed(McpServerSession session) throws ReflectiveOperationException;
  }

  /** Makes such sessions by another factory. */
  record Factory(McpServerSession.Factory factory, Observer observer)
      implements McpServerSession.Factory {
    @Override
    public McpServerSession create(McpServerTransport transport) {
      McpServerSession made = factory.create(transport);
      try {
        return observer.observed(made);
      } catch (ReflectiveOperationException | RuntimeException asItWas) {
        return made;
      }
    }
  }
}
