package mcpulse.mcp;

import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.json.schema.JsonSchemaValidator;
import io.modelcontextprotocol.server.McpAsyncServerExchange;
import io.modelcontextprotocol.server.McpNotificationHandler;
import io.modelcontextprotocol.server.McpRequestHandler;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpStreamableServerSession;
import io.modelcontextprotocol.spec.McpStreamableServerTransport;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import mcpulse.core.BoundedMap;
import reactor.core.publisher.Mono;

/**
 * A session of streamable HTTP that knows which requests its client has taken back. The id of a request is
 * seen only with its answer, on the way out.
 */
final class ObservedStreamableSession extends McpStreamableServerSession {
  private static final int REMEMBERED = 1000;

  private final BoundedMap<Object, Boolean> cancelled = new BoundedMap<>(REMEMBERED);

  /** Takes the place of a session that has served nothing yet. */
  @SuppressWarnings("unchecked")
  private ObservedStreamableSession(McpStreamableServerSession fresh)
      throws ReflectiveOperationException {
    super(
        fresh.getId(),
        ((AtomicReference<McpSchema.ClientCapabilities>) Fields.get(fresh, "clientCapabilities")).get(),
        ((AtomicReference<McpSchema.Implementation>) Fields.get(fresh, "clientInfo")).get(),
        (Duration) Fields.get(fresh, "requestTimeout"),
        (Map<String, McpRequestHandler<?>>) Fields.get(fresh, "requestHandlers"),
        (Map<String, McpNotificationHandler>) Fields.get(fresh, "notificationHandlers"),
        (Supplier<Mono<Void>>) Fields.get(fresh, "onClose"),
        (JsonSchemaValidator) Fields.get(fresh, "jsonSchemaValidator"));
  }

  @Override
  public McpStreamableServerSessionStream responseStream(McpStreamableServerTransport transport) {
    return super.responseStream(new Answers(transport, cancelled));
  }

  @Override
  public Mono<Void> accept(McpSchema.JSONRPCNotification notification) {
    Object id = InFlight.cancelledBy(notification);
    if (id != null) {
      cancelled.put(id, true);
    }
    return super.accept(notification);
  }

  /** The way out of the answer to the request that came with this exchange; null if it is not seen. */
  static Answers answersOf(McpAsyncServerExchange exchange) {
    try {
      Object stream = Places.EXCHANGE == null ? null : Places.EXCHANGE.get(exchange);
      boolean known = stream instanceof McpStreamableServerSessionStream && Places.STREAM != null;
      return known && Places.STREAM.get(stream) instanceof Answers answers ? answers : null;
    } catch (IllegalAccessException notSeen) {
      return null;
    }
  }

  /** Where the MCP SDK keeps them, looked up once. */
  private static final class Places {
    static final Field EXCHANGE = field(McpAsyncServerExchange.class, "session");
    static final Field STREAM = field(McpStreamableServerSessionStream.class, "connection");

    private static Field field(Class<?> type, String name) {
      try {
        Field field = type.getDeclaredField(name);
        field.setAccessible(true);
        return field;
      } catch (ReflectiveOperationException | RuntimeException notThere) {
        return null;
      }
    }
  }

  /** The connection that a request is answered on. */
  static final class Answers implements McpStreamableServerTransport {
    private final McpStreamableServerTransport transport;
    private final BoundedMap<Object, Boolean> cancelled;
    private volatile Requests.Ending ending;

    private Answers(McpStreamableServerTransport transport, BoundedMap<Object, Boolean> cancelled) {
      this.transport = transport;
      this.cancelled = cancelled;
    }

    /** Has a call ended by its answer. */
    void end(Requests.Ending ending) {
      this.ending = ending;
    }

    private void note(McpSchema.JSONRPCMessage message) {
      Requests.Ending current = ending;
      if (current != null && message instanceof McpSchema.JSONRPCResponse response) {
        ending = null;
        boolean takenBack = response.id() != null && cancelled.remove(response.id()) != null;
        current.ended(response, takenBack);
      }
    }

    @Override
    public Mono<Void> sendMessage(McpSchema.JSONRPCMessage message, String id) {
      note(message);
      return transport.sendMessage(message, id);
    }

    @Override
    public Mono<Void> sendMessage(McpSchema.JSONRPCMessage message) {
      note(message);
      return transport.sendMessage(message);
    }

    @Override
    public <T> T unmarshalFrom(Object data, TypeRef<T> type) {
      return transport.unmarshalFrom(data, type);
    }

    @Override
    public List<String> protocolVersions() {
      return transport.protocolVersions();
    }

    @Override
    public Mono<Void> closeGracefully() {
      return transport.closeGracefully();
    }

    @Override
    public void close() {
      transport.close();
    }
  }

  /** Makes such sessions by another factory. */
  record Factory(McpStreamableServerSession.Factory factory, BiConsumer<String, Object> begun)
      implements McpStreamableServerSession.Factory {
    @Override
    public McpStreamableServerSessionInit startSession(McpSchema.InitializeRequest request) {
      McpStreamableServerSessionInit made = factory.startSession(request);
      try {
        begun.accept(made.session().getId(), request.protocolVersion());
        return new McpStreamableServerSessionInit(
            new ObservedStreamableSession(made.session()), made.initResult());
      } catch (ReflectiveOperationException | RuntimeException asItWas) {
        return made;
      }
    }
  }
}
