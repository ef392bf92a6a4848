package mcpulse.mcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpStatelessSyncServer;
import io.modelcontextprotocol.server.transport.HttpServletStatelessServerTransport;
import io.modelcontextprotocol.spec.McpSchema.ServerCapabilities;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import mcpulse.core.Options;
import org.junit.jupiter.api.Test;

class SafetyTest {
  private static McpStatelessSyncServer server(boolean tools) {
    var capabilities = ServerCapabilities.builder();
    if (tools) {
      capabilities.tools(true);
    }
    return McpServer.sync(HttpServletStatelessServerTransport.builder().build())
        .serverInfo("test", "1").capabilities(capabilities.build()).build();
  }

  private static String debugged(Runnable work) {
    PrintStream before = System.err;
    ByteArrayOutputStream lines = new ByteArrayOutputStream();
    System.setErr(new PrintStream(lines, true, StandardCharsets.UTF_8));
    try {
      work.run();
    } finally {
      System.setErr(before);
    }
    return lines.toString(StandardCharsets.UTF_8);
  }

  @Test
  void aServerIsHandedBackWhateverTheOptions() {
    List<Consumer<Options>> wrong =
        List.of(
            options -> options.key(""),
            options -> options.key("k").endpoint("nowhere"),
            options -> {
              throw new IllegalStateException("the host's");
            });
    for (Consumer<Options> options : wrong) {
      McpStatelessSyncServer server = server(true);
      assertSame(server, McpPulse.watch(server, options));
    }
    assertNull(McpPulse.watch((McpStatelessSyncServer) null, options -> options.key("k")));
  }

  @Test
  void debugSaysWhyNothingIsRecorded() {
    assertTrue(debugged(() -> McpPulse.watch(server(true), options -> options.debug(true).key(""))).contains("off: no key"));
    Consumer<Options> on = options -> options.debug(true).key("k").endpoint("http://127.0.0.1:9");
    assertTrue(debugged(() -> McpPulse.watch(server(false), on)).contains("recording nothing"));
    McpStatelessSyncServer twice = McpPulse.watch(server(true), on);
    assertTrue(debugged(() -> McpPulse.watch(twice, on)).contains("already watching"));
    assertTrue(debugged(() -> McpPulse.watch((McpStatelessSyncServer) null, on)).contains("not watching"));
  }

  @Test
  void noServerIsKeptAlive() throws InterruptedException {
    List<WeakReference<Object>> servers = new ArrayList<>();
    for (int count = 0; count < 100; count++) {
      servers.add(new WeakReference<>(McpPulse.watch(server(true), options -> options.key("k").endpoint("http://127.0.0.1:9"))));
    }
    for (int tries = 0; tries < 100 && servers.stream().anyMatch(server -> server.get() != null); tries++) {
      System.gc();
      Thread.sleep(20);
    }
    assertEquals(0, servers.stream().filter(server -> server.get() != null).count());
  }
}
