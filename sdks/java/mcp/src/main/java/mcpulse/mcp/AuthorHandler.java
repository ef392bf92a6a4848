package mcpulse.mcp;

import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.ErrorCodes;
import java.lang.reflect.Constructor;
import java.util.function.BiFunction;
import mcpulse.core.Call;
import reactor.core.publisher.Mono;

/** The inner layer: the author's own code, which either ran or did not. */
final class AuthorHandler<C> implements BiFunction<C, CallToolRequest, Mono<CallToolResult>> {
  /** The call being handed from the outer layer to this one; both run in one thread, one in the other. */
  static final ThreadLocal<Call> SERVING = new ThreadLocal<>();

  private final BiFunction<C, CallToolRequest, Mono<CallToolResult>> author;

  private AuthorHandler(BiFunction<C, CallToolRequest, Mono<CallToolResult>> author) {
    this.author = author;
  }

  /**
   * Wraps a tool's handler. The MCP SDK's own check of results stays around it, so that what it rejects is
   * told from what the author returned.
   */
  @SuppressWarnings("unchecked")
  static <C> BiFunction<C, CallToolRequest, Mono<CallToolResult>> around(
      BiFunction<C, CallToolRequest, Mono<CallToolResult>> handler, String delegateField)
      throws ReflectiveOperationException {
    if (!isResultCheck(handler)) {
      return handler instanceof AuthorHandler ? handler : new AuthorHandler<>(handler);
    }
    var author = (BiFunction<C, CallToolRequest, Mono<CallToolResult>>) Fields.get(handler, delegateField);
    if (author instanceof AuthorHandler) {
      return handler;
    }
    Constructor<?> constructor = handler.getClass().getDeclaredConstructors()[0];
    constructor.setAccessible(true);
    return (BiFunction<C, CallToolRequest, Mono<CallToolResult>>)
        constructor.newInstance(
            Fields.get(handler, "jsonSchemaValidator"),
            Fields.get(handler, "outputSchema"),
            new AuthorHandler<>(author));
  }

  private static boolean isResultCheck(Object handler) {
    return handler.getClass().getSimpleName().equals("StructuredOutputCallToolHandler");
  }

  @Override
  public Mono<CallToolResult> apply(C context, CallToolRequest request) {
    Call call = SERVING.get();
    if (call == null) {
      return author.apply(context, request);
    }
    call.running();
    Mono<CallToolResult> answer;
    try {
      answer = author.apply(context, request);
    } catch (Throwable thrown) {
      call.raised(isDeliberate(thrown));
      throw thrown;
    }
    if (answer == null) {
      return null;
    }
    return answer
        .doOnSuccess(result -> call.returned(result != null && Boolean.TRUE.equals(result.isError())))
        .doOnError(error -> call.raised(isDeliberate(error)));
  }

  /** A protocol error is deliberate, unless it is the one that the MCP SDK itself fails with. */
  private static boolean isDeliberate(Throwable error) {
    return error instanceof McpError protocol
        && protocol.getJsonRpcError() != null
        && !Integer.valueOf(ErrorCodes.INTERNAL_ERROR).equals(protocol.getJsonRpcError().code());
  }
}
