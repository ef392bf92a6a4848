package mcpulse.mcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.client.transport.StdioClientTransport;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.Implementation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import mcpulse.wire.Canonical;
import mcpulse.wire.JsonReader;
import mcpulse.wire.Results;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The MCP SDK's own client and servers, over real transports. */
class ServersTest {
  /** One call of each tool, and the outcome it must have. */
  private static final List<String[]> CALLS =
      List.of(
          new String[] {"say", "ok"},
          new String[] {"nothing", "ok"},
          new String[] {"fail", "tool_error"},
          new String[] {"image", "ok"},
          new String[] {"throw", "crashed"},
          new String[] {"refuse", "tool_error"},
          new String[] {"internal", "crashed"},
          new String[] {"strict", "bad_args"},
          new String[] {"nobody", "bad_args"},
          new String[] {"structured", "crashed"},
          new String[] {"unstructured", "crashed"},
          new String[] {"late", "ok"});

  private static McpSyncClient client(McpClientTransport transport) {
    return McpClient.sync(transport)
        .clientInfo(Implementation.builder("tester", "1").build())
        .requestTimeout(Duration.ofSeconds(120))
        .initializationTimeout(Duration.ofSeconds(120))
        .build();
  }

  private static long units(CallToolResult result) {
    try {
      return Math.max(0, Results.measure(JsonReader.read(McpJsonDefaults.getMapper().writeValueAsString(result))));
    } catch (Exception notJson) {
      throw new AssertionError(notJson);
    }
  }

  private static void callAll(McpSyncClient client, TestIngest ingest, String clientName, String transport)
      throws Exception {
    client.initialize();
    client.listTools();
    Map<String, Object> args = Map.of("x", "é", "a", 1.0);
    List<Long> sizes = new ArrayList<>();
    for (String[] call : CALLS) {
      try {
        sizes.add(units(client.callTool(CallToolRequest.builder(call[0]).arguments(args).build())));
      } catch (RuntimeException protocolError) {
        sizes.add(0L);
      }
    }
    // Over stdio this ends the server, and what it holds is sent.
    client.closeGracefully();
    McpPulse.flush(Duration.ofSeconds(30));
    List<Map<?, ?>> recorded = ingest.await("call", CALLS.size());
    assertEquals(CALLS.size(), recorded.size());
    for (int at = 0; at < CALLS.size(); at++) {
      String tool = CALLS.get(at)[0];
      Map<?, ?> call = recorded.get(at);
      assertEquals(tool, call.get("tool_name"));
      assertEquals(CALLS.get(at)[1], call.get("outcome"), tool);
      assertEquals((double) sizes.get(at), call.get("response_bytes"), tool);
      assertEquals(Canonical.argsHash(args), call.get("args_hash"));
      assertEquals(tool.equals("nothing"), call.get("is_empty"));
      assertEquals(clientName, call.get("client_name"));
      assertTrue(!call.toString().contains("secret"));
    }
    Map<?, ?> startup = ingest.await("startup", 1).get(0);
    assertEquals("mcpulse-java/0.1.0", startup.get("sdk"));
    assertEquals("2.1.0", startup.get("mcp_sdk_version"));
    assertEquals(transport, startup.get("transport"));
    List<Object> names =
        ((List<?>) startup.get("tools")).stream().map(tool -> ((Map<?, ?>) tool).get("name")).collect(Collectors.toList());
    assertTrue(names.containsAll(TestTools.ALL.keySet()), names::toString);
  }

  @ParameterizedTest
  @ValueSource(strings = {"sync", "async", "stateless-sync", "stateless-async"})
  void overHttp(String kind) throws Exception {
    try (TestIngest ingest = new TestIngest();
        TestServer server = TestServer.http(kind, options -> options.key("mp_live_" + kind).endpoint(ingest.url()))) {
      McpClientTransport transport = HttpClientStreamableHttpTransport.builder(server.url()).build();
      // Without a protocol session nobody says who calls.
      callAll(client(transport), ingest, kind.startsWith("stateless") ? "unknown" : "tester", "http");
    }
  }

  @Test
  void overStdio() throws Exception {
    try (TestIngest ingest = new TestIngest()) {
      ServerParameters parameters =
          ServerParameters.builder(System.getProperty("java.home") + "/bin/java")
              .args("-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"), TestServer.class.getName())
              .env(Map.of("MCPULSE_KEY", "mp_live_stdio", "MCPULSE_ENDPOINT", ingest.url()))
              .build();
      callAll(client(new StdioClientTransport(parameters, McpJsonDefaults.getMapper())), ingest, "tester", "stdio");
    }
  }

  @Test
  void whatTheHostThrowsIsTheSame() {
    IllegalStateException thrown = new IllegalStateException();
    var handler =
        mcpulseHandler(
            (exchange, request) -> {
              throw thrown;
            });
    assertSame(thrown, assertThrows(IllegalStateException.class, () -> handler.apply("", null)));
  }

  private static java.util.function.BiFunction<String, CallToolRequest, reactor.core.publisher.Mono<CallToolResult>> mcpulseHandler(
      java.util.function.BiFunction<String, CallToolRequest, reactor.core.publisher.Mono<CallToolResult>> author) {
    try {
      return AuthorHandler.around(author, "none");
    } catch (ReflectiveOperationException impossible) {
      throw new AssertionError(impossible);
    }
  }
}
