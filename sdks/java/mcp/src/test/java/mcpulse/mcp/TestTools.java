package mcpulse.mcp;

import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.ImageContent;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Tools that end in every way. */
final class TestTools {
  static final Map<String, Function<Map<String, Object>, CallToolResult>> ALL = new LinkedHashMap<>();

  private static final String OBJECT = "{\"type\":\"object\"}";
  private static final String NUMBER =
      "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"number\"}},\"required\":[\"n\"]}";

  static {
    ALL.put("say", args -> text("said 🚀"));
    ALL.put("nothing", args -> CallToolResult.builder(List.of()).build());
    ALL.put("fail", args -> CallToolResult.builder().addTextContent("no").isError(true).build());
    ALL.put("image", args -> CallToolResult.builder().addContent(ImageContent.builder("AAAA", "image/png").build()).build());
    ALL.put(
        "throw",
        args -> {
          throw new IllegalStateException("secret");
        });
    ALL.put(
        "refuse",
        args -> {
          throw McpError.builder(-32042).message("secret").build();
        });
    ALL.put(
        "internal",
        args -> {
          throw McpError.builder(-32603).message("secret").build();
        });
    ALL.put("strict", args -> text("strict"));
    ALL.put("structured", args -> CallToolResult.builder().structuredContent(Map.of("n", args.getOrDefault("n", "x"))).build());
    ALL.put("unstructured", args -> text("forgot"));
    ALL.put("null", args -> CallToolResult.builder().structuredContent(new Object()).build());
  }

  private TestTools() {}

  static CallToolResult text(String text) {
    return CallToolResult.builder().addTextContent(text).build();
  }

  static Tool tool(String name) {
    var json = McpJsonDefaults.getMapper();
    String input = name.equals("strict") ? NUMBER : OBJECT;
    Tool.Builder tool = Tool.builder(name, json, input).description("Does " + name + ".");
    if (name.endsWith("structured")) {
      tool.outputSchema(json, NUMBER);
    }
    return tool.build();
  }
}
