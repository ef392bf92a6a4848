package mcpulse.mcp;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import mcpulse.wire.JsonReader;

/** An ingest that keeps what it gets. */
final class TestIngest implements AutoCloseable {
  private final HttpServer server;
  private final List<Map<?, ?>> payloads = new CopyOnWriteArrayList<>();

  TestIngest() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/v1/ingest",
        exchange -> {
          byte[] body = exchange.getRequestBody().readAllBytes();
          try {
            Map<?, ?> read = (Map<?, ?>) JsonReader.read(body);
            ((List<?>) read.get("batch")).forEach(payload -> payloads.add((Map<?, ?>) payload));
          } catch (Exception notJson) {
            payloads.add(Map.of("type", "broken"));
          }
          exchange.sendResponseHeaders(202, -1);
          exchange.close();
        });
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** Payloads of a type, once as many have come as are wanted. */
  List<Map<?, ?>> await(String type, int count) throws InterruptedException {
    return await(count, payload -> type.equals(payload.get("type")));
  }

  private List<Map<?, ?>> await(int count, Predicate<Map<?, ?>> wanted) throws InterruptedException {
    for (int tries = 0; tries < 1200; tries++) {
      List<Map<?, ?>> found = new ArrayList<>(payloads);
      found.removeIf(wanted.negate());
      if (found.size() >= count) {
        return found;
      }
      Thread.sleep(50);
    }
    throw new AssertionError("waited in vain for " + count + " payloads: " + payloads.size());
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
