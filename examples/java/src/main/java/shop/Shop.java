package shop;

import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpSyncServer;
import io.modelcontextprotocol.server.transport.StdioServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.ServerCapabilities;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.util.Map;
import mcpulse.mcp.McpPulse;

/** A small shop over stdio, watched. */
public final class Shop {
  private static final Map<String, String> ORDERS = Map.of("o-1", "shipped", "o-2", "paid");

  private Shop() {}

  public static void main(String[] args) {
    var json = McpJsonDefaults.getMapper();
    Tool status =
        Tool.builder(
                "order_status",
                json,
                "{\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"string\"}},\"required\":[\"id\"]}")
            .description("The status of an order.")
            .build();
    McpSyncServer server =
        McpServer.sync(McpPulse.watched(new StdioServerTransportProvider(json)))
            .serverInfo("shop", "1")
            .capabilities(ServerCapabilities.builder().tools(true).build())
            .toolCall(
                status,
                (exchange, request) -> {
                  String found = ORDERS.get(request.arguments().get("id"));
                  return CallToolResult.builder()
                      .addTextContent(found == null ? "no such order" : found)
                      .isError(found == null)
                      .build();
                })
            .build();
    McpPulse.watch(server, options -> options.debug(System.getenv("MCPULSE_DEBUG") != null));
  }
}
