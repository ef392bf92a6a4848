package mcpulse.bench;

import io.modelcontextprotocol.common.McpTransportContext;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpStatelessServerFeatures;
import io.modelcontextprotocol.server.McpStatelessServerHandler;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.ServerCapabilities;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import io.modelcontextprotocol.spec.McpStatelessServerTransport;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import mcpulse.mcp.McpPulse;
import reactor.core.publisher.Mono;

/** What watching costs a call, and what it holds: {@code java … mcpulse.bench.Main [calls for memory]}. */
public final class Main {
  private static final int ROUNDS = 40;
  private static final int CALLS = 500;

  private Main() {}

  /** A transport that is called by hand. */
  private static final class InMemory implements McpStatelessServerTransport {
    McpStatelessServerHandler handler;

    @Override
    public void setMcpHandler(McpStatelessServerHandler given) {
      handler = given;
    }

    @Override
    public Mono<Void> closeGracefully() {
      return Mono.empty();
    }
  }

  private static CallToolResult rows() {
    List<Map<String, Object>> rows = new ArrayList<>();
    for (int row = 0; row < 100; row++) {
      Map<String, Object> one = new LinkedHashMap<>();
      one.put("id", row);
      one.put("name", "customer number " + row);
      one.put("amount", row * 1.25);
      one.put("open", row % 2 == 0);
      rows.add(one);
    }
    return CallToolResult.builder().addTextContent("100 rows").structuredContent(Map.of("rows", rows)).build();
  }

  private static McpStatelessServerHandler server(CallToolResult result, boolean watched) {
    InMemory transport = new InMemory();
    Tool tool = Tool.builder("tool", Map.of("type", "object")).build();
    var server =
        McpServer.sync(transport)
            .serverInfo("bench", "1")
            .capabilities(ServerCapabilities.builder().tools(true).build())
            .immediateExecution(true)
            .tools(new McpStatelessServerFeatures.SyncToolSpecification(tool, (context, request) -> result))
            .build();
    if (watched) {
      // Nobody listens there.
      McpPulse.watch(server, options -> options.key("bench").endpoint("http://127.0.0.1:9"));
    }
    return transport.handler;
  }

  private static Map<String, Object> arguments() {
    Map<String, Object> arguments = new LinkedHashMap<>();
    for (int at = 0; at < 20; at++) {
      arguments.put("field " + at, "a value of some eighty characters, as models write them into arguments, " + at);
    }
    return arguments;
  }

  /** One call, and its answer as the transport would write it. */
  private static int call(McpStatelessServerHandler handler, Map<String, Object> arguments) throws Exception {
    Map<String, Object> params = Map.of("name", "tool", "arguments", arguments);
    var answer =
        handler.handleRequest(McpTransportContext.EMPTY, new McpSchema.JSONRPCRequest("tools/call", 1, params)).block();
    return McpJsonDefaults.getMapper().writeValueAsString(answer).length();
  }

  /** Microseconds a call takes, at the median of the rounds; both servers in turn. */
  private static double[] medians(McpStatelessServerHandler[] servers) throws Exception {
    Map<String, Object> arguments = arguments();
    double[][] times = new double[servers.length][ROUNDS];
    for (int round = -ROUNDS / 2; round < ROUNDS; round++) {
      for (int at = 0; at < servers.length; at++) {
        long begun = System.nanoTime();
        for (int count = 0; count < CALLS; count++) {
          call(servers[at], arguments);
        }
        // The first rounds only warm up.
        if (round >= 0) {
          times[at][round] = (System.nanoTime() - begun) / 1e3 / CALLS;
        }
      }
    }
    double[] medians = new double[servers.length];
    for (int at = 0; at < servers.length; at++) {
      Arrays.sort(times[at]);
      medians[at] = times[at][ROUNDS / 2];
    }
    return medians;
  }

  private static long usedKilobytes() throws InterruptedException {
    for (int count = 0; count < 3; count++) {
      System.gc();
      Thread.sleep(100);
    }
    Runtime runtime = Runtime.getRuntime();
    return (runtime.totalMemory() - runtime.freeMemory()) / 1024;
  }

  public static void main(String[] args) throws Exception {
    Map<String, CallToolResult> results = new LinkedHashMap<>();
    results.put("10 KB of text", CallToolResult.builder().addTextContent("word ".repeat(2000)).build());
    results.put("10 KB of rows, structured", rows());
    System.out.println("2 KB of arguments; microseconds a call, median: plain, watched, added");
    for (Map.Entry<String, CallToolResult> result : results.entrySet()) {
      double[] medians =
          medians(new McpStatelessServerHandler[] {server(result.getValue(), false), server(result.getValue(), true)});
      System.out.printf(
          "%s: %.1f %.1f %.1f%n", result.getKey(), medians[0], medians[1], medians[1] - medians[0]);
    }
    int calls = args.length > 0 ? Integer.parseInt(args[0]) : 1_000_000;
    McpStatelessServerHandler watched = server(results.get("10 KB of text"), true);
    Map<String, Object> arguments = arguments();
    System.out.println("kilobytes used, with the ingest dead");
    for (int tenth = 0; tenth <= 10; tenth++) {
      if (tenth % 5 == 0 || tenth == 1) {
        System.out.println("after " + (long) calls * tenth / 10 + " calls: " + usedKilobytes());
      }
      for (int count = 0; tenth < 10 && count < calls / 10; count++) {
        call(watched, arguments);
      }
    }
  }
}
