package mcpulse.mcp;

import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.spec.McpSchema;
import java.io.IOException;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import mcpulse.core.Call;
import mcpulse.core.Surface;
import mcpulse.core.Surface.Facts;
import mcpulse.core.Watcher;
import mcpulse.wire.Canonical;
import mcpulse.wire.JsonReader;
import mcpulse.wire.NotJsonException;
import mcpulse.wire.Strings;
import reactor.core.publisher.Mono;

/** The outer layer: requests as they come in, before validation, and their answers. */
final class Requests<C> {
  private static final String CLIENT_INFO = "io.modelcontextprotocol/clientInfo";

  /** What the context of a request says about where it comes from. */
  interface Origin<C> {
    /** The client, by the protocol session; null if there is none. */
    String client(C context);

    /** The version of the protocol; null when it is not known. */
    String protocol(C context);

    /** The conversation that the protocol names; null if it names none. */
    String conversation(C context);

    /** Has the call ended by its answer on its way out. False: that is not seen. */
    boolean endsBy(C context, Ending ending);
  }

  /** What the answer of a call, on its way out, is told to. */
  interface Ending {
    /** The call is over; perhaps its client has taken it back. */
    void ended(McpSchema.JSONRPCResponse response, boolean takenBack);
  }

  private final Watcher watcher;
  private final McpJsonMapper mapper;
  private final String transport;
  private final Origin<C> origin;
  private final ToolList<C> tools;
  private volatile BiFunction<C, Object, ? extends Mono<?>> lists;

  Requests(Watcher watcher, McpJsonMapper mapper, String transport, Origin<C> origin, ToolList<C> tools) {
    this.watcher = watcher;
    this.mapper = mapper;
    this.transport = transport;
    this.origin = origin;
    this.tools = tools;
  }

  /** Serves {@code tools/call} by the MCP SDK's own handler. */
  <T> Mono<T> call(C context, Object params, BiFunction<C, Object, Mono<T>> handler) {
    Call call = begin(context, params);
    if (call == null) {
      return handler.apply(context, params);
    }
    Call before = AuthorHandler.SERVING.get();
    AuthorHandler.SERVING.set(call);
    Mono<T> answer;
    try {
      answer = handler.apply(context, params);
    } catch (Throwable thrown) {
      call.failed();
      throw thrown;
    } finally {
      if (before == null) {
        AuthorHandler.SERVING.remove();
      } else {
        AuthorHandler.SERVING.set(before);
      }
    }
    return answer == null ? null : observed(answer, call, context);
  }

  private Call begin(C context, Object params) {
    try {
      if (tools.look()) {
        watcher.surface().changed();
      }
      Map<?, ?> members = params instanceof Map<?, ?> map ? map : Map.of();
      if (watcher.surface().wants()) {
        watcher.surface().calling(lister(context), facts(context, members));
      }
      return new Call(
          watcher,
          members.get("name"),
          Canonical.argsHash(members.get("arguments")),
          client(context, members),
          watcher.namesConversations() ? origin.conversation(context) : null);
    } catch (RuntimeException | ReflectiveOperationException | LinkageError fault) {
      watcher.unrecorded("a fault of the producer's");
      return null;
    }
  }

  private <T> Mono<T> observed(Mono<T> answer, Call call, C origins) {
    boolean onTheWayOut =
        origin.endsBy(
            origins,
            (response, takenBack) -> {
              if (takenBack) {
                call.unrecorded("cancelled");
              } else if (response.error() != null) {
                call.failed();
              } else {
                answered(call, response.result());
              }
            });
    if (onTheWayOut) {
      return answer
          .doOnSuccess(
              result -> {
                if (result == null) {
                  call.answered(null);
                }
              })
          .doOnCancel(() -> call.unrecorded("cancelled"));
    }
    return Mono.deferContextual(
            context -> {
              InFlight.of(context, call);
              return answer;
            })
        .doOnSuccess(result -> answered(call, result))
        .doOnError(error -> call.failed())
        .doOnCancel(() -> call.unrecorded("cancelled"));
  }

  private void answered(Call call, Object result) {
    if (call.isOver()) {
      return;
    }
    Object received;
    try {
      received = result == null ? null : received(result);
    } catch (IOException | NotJsonException | RuntimeException notWritable) {
      call.failed();
      return;
    }
    call.answered(received);
  }

  /** A result as the client receives it. */
  private Object received(Object result) throws IOException, NotJsonException {
    // Half a surrogate pair has no UTF-8: Java writes a question mark.
    return JsonReader.read(Strings.wellFormed(mapper.writeValueAsString(result), '?'));
  }

  /** Serves {@code tools/list} by the MCP SDK's own handler. */
  <T> Mono<T> list(C context, Object params, BiFunction<C, Object, Mono<T>> handler) {
    Mono<T> answer = handler.apply(context, params);
    if (answer == null) {
      return null;
    }
    return answer.doOnSuccess(
        result -> {
          if (result != null) {
            Map<?, ?> members = params instanceof Map<?, ?> map ? map : Map.of();
            boolean partial = members.get("cursor") != null;
            watcher.surface().listed(partial, facts(context, members), () -> received(result));
          }
        });
  }

  /** Remembers the MCP SDK's own handler, for lists that no client asked for. */
  void listsBy(BiFunction<C, Object, ? extends Mono<?>> handler) {
    lists = handler;
  }

  /** The server has no handler for tools. */
  void nothingServed() {
    watcher.say("recording nothing: this server has no handler for tools/call");
  }

  /** A client has connected. */
  void greeted(C context, String client, String protocol) {
    try {
      watcher.surface().greeted(lister(context), new Facts(client, protocol, transport));
    } catch (RuntimeException fault) {
      watcher.say("the tools could not be listed; trying again on the next request");
    }
  }

  private Surface.Lister lister(C context) {
    return (cursor, got, failed) -> list(context, cursor, got, failed);
  }

  private void list(C context, String cursor, Consumer<Object> got, Runnable failed) {
    Map<String, Object> params = cursor == null ? Map.of() : Map.of("cursor", cursor);
    BiFunction<C, Object, ? extends Mono<?>> handler = lists;
    if (handler == null) {
      failed.run();
      return;
    }
    Mono.defer(() -> handler.apply(context, params).<Object>map(result -> result))
        .switchIfEmpty(Mono.error(IllegalStateException::new))
        .subscribe(
            result -> {
              try {
                got.accept(received(result));
              } catch (IOException | NotJsonException | RuntimeException notWritable) {
                failed.run();
              }
            },
            error -> failed.run());
  }

  private Facts facts(C context, Map<?, ?> members) {
    return new Facts(client(context, members), origin.protocol(context), transport);
  }

  private String client(C context, Map<?, ?> members) {
    if (members.get("_meta") instanceof Map<?, ?> meta
        && meta.get(CLIENT_INFO) instanceof Map<?, ?> info
        && info.get("name") instanceof String name) {
      return name;
    }
    return origin.client(context);
  }
}
