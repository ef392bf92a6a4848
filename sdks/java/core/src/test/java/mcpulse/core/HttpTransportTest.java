package mcpulse.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import mcpulse.core.Transport.Answer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HttpTransportTest {
  private String got;

  /** Posts to a server that reads a request of so many bytes and answers with this text; null: never. */
  private Answer post(String answer, long millis) throws Exception {
    try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      CompletableFuture<Void> end = new CompletableFuture<>();
      CompletableFuture<String> request =
          CompletableFuture.supplyAsync(
              () -> {
                try (Socket socket = listening.accept()) {
                  String read = read(socket.getInputStream());
                  if (answer == null) {
                    end.get(60, TimeUnit.SECONDS);
                  } else {
                    socket.getOutputStream().write(answer.getBytes(StandardCharsets.ISO_8859_1));
                  }
                  return read;
                } catch (Exception failed) {
                  throw new AssertionError(failed);
                }
              });
      URI target = new URI("http://127.0.0.1:" + listening.getLocalPort() + "/base/v1/ingest");
      long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
      Answer given =
          new HttpTransport(target)
              .post(Map.of("Idempotency-Key", "abc"), "{}".getBytes(StandardCharsets.UTF_8), deadline);
      end.complete(null);
      got = request.get(60, TimeUnit.SECONDS);
      return given;
    }
  }

  private static String read(InputStream in) throws Exception {
    StringBuilder read = new StringBuilder();
    while (!read.toString().endsWith("\r\n\r\n{}")) {
      read.append((char) in.read());
    }
    return read.toString();
  }

  @Test
  void aRequestIsWhatTheProtocolSays() throws Exception {
    Answer answer = post("HTTP/1.1 202 Accepted\r\nContent-Length: 2\r\n\r\n{}", 60_000);
    assertEquals(new Answer(202, null), answer);
    assertTrue(got.startsWith("POST /base/v1/ingest HTTP/1.1\r\nHost: 127.0.0.1:"), got);
    assertTrue(got.contains("\r\nIdempotency-Key: abc\r\n"), got);
    assertTrue(got.contains("\r\nContent-Length: 2\r\n"), got);
  }

  @ParameterizedTest
  @CsvSource({
    "'HTTP/1.1 429 Too Many Requests\r\nretry-AFTER: 7\r\n\r\n', 429",
    "'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 202 Accepted\r\n\r\n', 202",
    "'HTTP/1.1 307 Moved\r\nLocation: http://127.0.0.1:1/\r\n\r\n', 307",
    "'HTTP/1.0 500\n\n', 500",
    "'HTTP/1.1 202 Accepted\r\nContent-Le', 0",
    "'HTTP/1.1 20', 0",
    "'HTTP/1.1 banana\r\n\r\n', 0",
    "'SSH-2.0-OpenSSH\r\n', 0",
    "'', 0",
  })
  void answersAreReadUpToTheBody(String answer, int status) throws Exception {
    assertEquals(status, post(answer, 60_000).status());
  }

  @Test
  void nothingIsWaitedForBeyondTheDeadline() throws Exception {
    assertEquals(Answer.NONE, post(null, 300));
  }

  @Test
  void nobodyListensIsNoAnswer() throws Exception {
    int port;
    try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = closed.getLocalPort();
    }
    HttpTransport transport = new HttpTransport(new URI("http://127.0.0.1:" + port + "/v1/ingest"));
    assertEquals(Answer.NONE, transport.post(Map.of(), new byte[0], System.nanoTime() + 60_000_000_000L));
  }
}
