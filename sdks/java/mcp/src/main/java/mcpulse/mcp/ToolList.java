package mcpulse.mcp;

import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiFunction;
import reactor.core.publisher.Mono;

/** The tools of one server. What was registered since the last look is wrapped at the next. */
final class ToolList<C> {
  /** How a server's kind of tool is taken apart and put together. */
  interface Kind<C> {
    Tool tool(Object specification);

    BiFunction<C, CallToolRequest, Mono<CallToolResult>> handler(Object specification);

    Object specification(Tool tool, BiFunction<C, CallToolRequest, Mono<CallToolResult>> handler);

    /** Where the MCP SDK's own check of results holds the author's handler. */
    String delegateField();
  }

  private final CopyOnWriteArrayList<Object> specifications;
  private final Kind<C> kind;
  private volatile Object[] seen = new Object[0];
  private Tool[] tools;

  @SuppressWarnings("unchecked")
  ToolList(Object server, Kind<C> kind) throws ReflectiveOperationException {
    this.specifications = (CopyOnWriteArrayList<Object>) Fields.get(server, "tools");
    this.kind = kind;
  }

  /** Looks whether there are others than before, and wraps those. Says whether clients see others. */
  boolean look() throws ReflectiveOperationException {
    Object[] before = seen;
    int at = 0;
    for (Object specification : specifications) {
      if (at == before.length || before[at++] != specification) {
        return wrapAll();
      }
    }
    return at != before.length && wrapAll();
  }

  private synchronized boolean wrapAll() throws ReflectiveOperationException {
    for (Object specification : specifications) {
      // Once before, since nothing may be raised within.
      wrapped(specification);
    }
    specifications.replaceAll(
        specification -> {
          try {
            return wrapped(specification);
          } catch (ReflectiveOperationException stayAsItIs) {
            return specification;
          }
        });
    Object[] now = specifications.toArray();
    Tool[] others = List.of(now).stream().map(kind::tool).toArray(Tool[]::new);
    boolean same = tools != null && tools.length == others.length;
    for (int at = 0; same && at < others.length; at++) {
      same = tools[at] == others[at];
    }
    tools = others;
    seen = now;
    return !same;
  }

  private Object wrapped(Object specification) throws ReflectiveOperationException {
    var handler = kind.handler(specification);
    var around = AuthorHandler.around(handler, kind.delegateField());
    return around == handler ? specification : kind.specification(kind.tool(specification), around);
  }
}
