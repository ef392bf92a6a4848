package mcpulse.mcp;

import io.modelcontextprotocol.spec.McpSchema;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import mcpulse.core.Call;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/** The requests of one protocol session that are not answered yet, for a client that takes one back. */
final class InFlight {
  private static final String CANCELLED = "notifications/cancelled";

  private final Map<Object, Call[]> requests = new ConcurrentHashMap<>();

  private record Request(Call[] slot) {}

  /** Serves a request, known by its id while that takes. */
  Mono<Void> during(McpSchema.JSONRPCRequest request, Mono<Void> served) {
    if (!McpSchema.METHOD_TOOLS_CALL.equals(request.method()) || request.id() == null) {
      return served;
    }
    Call[] slot = new Call[1];
    requests.put(request.id(), slot);
    return served
        .contextWrite(context -> Context.of(context).put(Request.class, new Request(slot)))
        .doFinally(signal -> requests.remove(request.id(), slot));
  }

  /** The call that is being served in this context. */
  static void of(ContextView context, Call call) {
    if (context.getOrDefault(Request.class, null) instanceof Request request) {
      synchronized (request.slot()) {
        request.slot()[0] = call;
      }
    }
  }

  /** The id of the request that a notification takes back; null if it takes none. */
  static Object cancelledBy(McpSchema.JSONRPCNotification notification) {
    boolean cancels = CANCELLED.equals(notification.method());
    return cancels && notification.params() instanceof Map<?, ?> params ? params.get("requestId") : null;
  }

  /** A notification came in. */
  void noted(McpSchema.JSONRPCNotification notification) {
    Object id = cancelledBy(notification);
    Call[] slot = id == null ? null : requests.get(id);
    if (slot == null) {
      return;
    }
    synchronized (slot) {
      if (slot[0] != null) {
        slot[0].unrecorded("cancelled");
      }
    }
  }
}
