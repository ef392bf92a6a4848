package mcpulse.harness;

import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** The kit's tools, whichever API serves them; docs/harness.md says what each must do. */
record KitTool(Tool tool, Function<Map<String, Object>, CallToolResult> run) {
  static final McpJsonMapper JSON = McpJsonDefaults.getMapper();
  private static final String CANARY =
      System.getenv().getOrDefault("MCPULSE_HARNESS_CANARY", "canary");
  private static final Map<String, String> EMPTY =
      Map.of("blank", " \n\t", "null", "null", "list", "[]", "object", "{}");

  static KitTool of(
      String name, String description, String schema, Function<Map<String, Object>, CallToolResult> run) {
    return new KitTool(Tool.builder(name, JSON, schema).description(description).build(), run);
  }

  static KitTool plain(String name, Function<Map<String, Object>, CallToolResult> run) {
    return of(name, "One of the kit's.", "{\"type\":\"object\"}", run);
  }

  private static KitTool with(
      String name, String properties, String required, Function<Map<String, Object>, CallToolResult> run) {
    return of(
        name,
        "One of the kit's.",
        "{\"type\":\"object\",\"properties\":{" + properties + "},\"required\":[" + required + "]}",
        run);
  }

  static CallToolResult text(String text) {
    return CallToolResult.builder().addTextContent(text).build();
  }

  static KitTool always(String name, String answer) {
    return plain(name, args -> text(answer));
  }

  static List<KitTool> all() {
    return List.of(
        plain("echo", args -> text(write(args))),
        always("fast", "done"),
        with("slow", "\"ms\":{\"type\":\"integer\"}", "\"ms\"", KitTool::slow),
        with(
            "empty",
            "\"kind\":{\"enum\":[\"no_parts\",\"blank\",\"null\",\"list\",\"object\"]}",
            "\"kind\"",
            args ->
                args.get("kind").equals("no_parts")
                    ? CallToolResult.builder(List.of()).build()
                    : text(EMPTY.get(args.get("kind")))),
        with("reply", "\"result\":{\"type\":\"object\"}", "\"result\"", KitTool::reply),
        plain("error", args -> CallToolResult.builder().addTextContent("no such order").isError(true).build()),
        plain(
            "crash",
            args -> {
              throw new IllegalStateException("boom " + CANARY);
            }),
        of(
            "strict",
            "One of the kit's.",
            "{\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"integer\",\"minimum\":1},"
                + "\"note\":{\"type\":\"string\"}},\"required\":[\"id\"],\"additionalProperties\":false}",
            args -> text("ok")),
        with(
            "huge",
            "\"units\":{\"type\":\"integer\"}",
            "",
            args -> text("x".repeat(((Number) args.getOrDefault("units", 1_000_000)).intValue()))),
        always("unicode", "café 🚀 東京"),
        of(
            "canary",
            "Keeps a secret: " + CANARY + ".",
            "{\"type\":\"object\",\"properties\":{\"secret\":{\"type\":\"string\",\"description\":\"Such as "
                + CANARY + ".\"}},\"required\":[\"secret\"]}",
            args -> text(CANARY + " " + args.get("secret"))),
        price("price_a"),
        price("price_b"),
        always("never_called", "done"),
        with(
            "quit",
            "\"code\":{\"type\":\"integer\"},\"how\":{\"type\":\"string\"}",
            "\"code\"",
            KitTool::quit));
  }

  private static KitTool price(String name) {
    return with(
        name,
        "\"id\":{\"type\":\"string\"},\"amount\":{\"type\":\"number\"}",
        "\"id\",\"amount\"",
        args -> {
          Map<String, Object> order = new LinkedHashMap<>();
          order.put("id", args.get("id"));
          order.put("amount", args.get("amount"));
          Map<String, Object> structured = Map.of("order", order);
          return CallToolResult.builder()
              .addTextContent(write(structured))
              .structuredContent(structured)
              .build();
        });
  }

  private static CallToolResult slow(Map<String, Object> args) {
    try {
      Thread.sleep(((Number) args.get("ms")).longValue());
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
    }
    return text("done");
  }

  private static CallToolResult reply(Map<String, Object> args) {
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("content", List.of());
    result.putAll(JSON.convertValue(args.get("result"), Map.class));
    return JSON.convertValue(result, CallToolResult.class);
  }

  private static CallToolResult quit(Map<String, Object> args) {
    Thread leaving =
        new Thread(
            () -> {
              slow(Map.of("ms", 50));
              if ("uncaught".equals(args.get("how"))) {
                throw new IllegalStateException("uncaught");
              }
              System.exit(((Number) args.get("code")).intValue());
            });
    leaving.setDaemon(true);
    leaving.start();
    return CallToolResult.builder().addContent(TextContent.builder("bye").build()).build();
  }

  private static String write(Object value) {
    try {
      return JSON.writeValueAsString(value);
    } catch (IOException unwritable) {
      throw new UncheckedIOException(unwritable);
    }
  }
}
