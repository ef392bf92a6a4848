package shop;

import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.client.transport.StdioClientTransport;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Starts the shop and asks it a few things. */
public final class Client {
  private Client() {}

  public static void main(String[] args) {
    ServerParameters shop =
        ServerParameters.builder(System.getProperty("java.home") + "/bin/java")
            .args("-cp", System.getProperty("java.class.path"), Shop.class.getName())
            .env(new HashMap<>(System.getenv()))
            .build();
    StdioClientTransport transport = new StdioClientTransport(shop, McpJsonDefaults.getMapper());
    transport.setStdErrorHandler(System.err::println);
    try (var client = McpClient.sync(transport).build()) {
      client.initialize();
      for (Map<String, Object> arguments : List.<Map<String, Object>>of(Map.of("id", "o-1"), Map.of("id", "o-9"), Map.of())) {
        System.out.println(client.callTool(CallToolRequest.builder("order_status").arguments(arguments).build()).content());
      }
      client.closeGracefully();
    }
  }
}
