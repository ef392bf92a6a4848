package mcpulse.core;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * One request on a connection of its own, in a thread of its own: a name lookup, a TLS handshake or a
 * write cannot be given a time limit, but their socket can be closed under them. No redirects, no
 * proxies, nothing tried again, nothing kept open: the key goes to its own endpoint only.
 */
final class HttpTransport implements Transport {
  private static final int LINE_LIMIT = 16_384;
  private static final int LINES = 200;
  private static final int BODY_MS = 200;

  private final URI target;
  private volatile Thread exchanging;
  private volatile Socket open;

  HttpTransport(URI target) {
    this.target = target;
  }

  @Override
  public Answer post(Map<String, String> headers, byte[] body, long deadline) {
    Thread before = exchanging;
    if (before != null && before.isAlive()) {
      return Answer.NONE;
    }
    FutureTask<Answer> exchange = new FutureTask<>(() -> exchange(headers, body, deadline));
    try {
      Thread thread = new Thread(null, exchange, "mcpulse-http", 0, false);
      thread.setDaemon(true);
      exchanging = thread;
      thread.start();
      return exchange.get(Math.max(1, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (ExecutionException | TimeoutException nothing) {
      return Answer.NONE;
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
      return Answer.NONE;
    } catch (OutOfMemoryError noThread) {
      return Answer.NONE;
    } finally {
      exchange.cancel(true);
      close(open);
    }
  }

  private Answer exchange(Map<String, String> headers, byte[] body, long deadline) throws IOException {
    boolean secure = "https".equalsIgnoreCase(target.getScheme());
    int port = target.getPort() > 0 ? target.getPort() : secure ? 443 : 80;
    try (Socket plain = connected(port, deadline)) {
      Socket socket = secure ? secured(plain, port) : plain;
      socket.setTcpNoDelay(true);
      byte[] head = head(headers, body.length).getBytes(StandardCharsets.ISO_8859_1);
      socket.getOutputStream().write(head);
      socket.getOutputStream().write(body);
      socket.getOutputStream().flush();
      Answer answer = receive(new BufferedInputStream(socket.getInputStream()));
      awaitEnd(socket);
      return answer;
    }
  }

  /** A connection to the first of the host's addresses that takes one. */
  private Socket connected(int port, long deadline) throws IOException {
    IOException refused = new IOException("no address");
    for (InetAddress address : InetAddress.getAllByName(host())) {
      long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      if (left <= 0) {
        break;
      }
      Socket socket = new Socket(Proxy.NO_PROXY);
      open = socket;
      try {
        socket.connect(new InetSocketAddress(address, port), (int) left);
        return socket;
      } catch (IOException next) {
        close(socket);
        refused = next;
      }
    }
    throw refused;
  }

  private String host() {
    String host = target.getHost();
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }


  private Socket secured(Socket plain, int port) throws IOException {
    SSLSocketFactory factory = (SSLSocketFactory) SSLSocketFactory.getDefault();
    SSLSocket socket = (SSLSocket) factory.createSocket(plain, host(), port, true);
    var parameters = socket.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    socket.setSSLParameters(parameters);
    socket.startHandshake();
    return socket;
  }

  private String head(Map<String, String> headers, int length) {
    StringBuilder head = new StringBuilder("POST ").append(target.getRawPath()).append(" HTTP/1.1\r\n");
    head.append("Host: ").append(target.getHost());
    if (target.getPort() > 0) {
      head.append(':').append(target.getPort());
    }
    head.append("\r\nConnection: close\r\n");
    headers.forEach((name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
    return head.append("Content-Length: ").append(length).append("\r\n\r\n").toString();
  }

  /** Reads the status and what follows up to the body, which would change nothing. */
  private static Answer receive(InputStream in) throws IOException {
    while (true) {
      String[] status = line(in).split(" ", 3);
      boolean understood = status[0].startsWith("HTTP/1.") && status.length > 1;
      if (!understood || !status[1].matches("[1-9][0-9]{2}")) {
        return Answer.NONE;
      }
      String retryAfter = null;
      for (int count = 0; ; count++) {
        String line = line(in);
        if (line.isEmpty()) {
          break;
        }
        if (count == LINES) {
          return Answer.NONE;
        }
        int colon = line.indexOf(':');
        if (colon > 0 && line.substring(0, colon).toLowerCase(Locale.ROOT).equals("retry-after")) {
          retryAfter = line.substring(colon + 1);
        }
      }
      int code = Integer.parseInt(status[1]);
      // 100 and its like come before the answer.
      if (code >= 200) {
        return new Answer(code, retryAfter);
      }
    }
  }

  /** Lets the ingest finish its body, a short one, so that it meets no broken connection. */
  private static void awaitEnd(Socket socket) {
    try {
      socket.setSoTimeout(BODY_MS);
      byte[] body = new byte[LINE_LIMIT];
      for (int count = 0, read = 0; read >= 0 && count < LINE_LIMIT; count += Math.max(read, 1)) {
        read = socket.getInputStream().read(body);
      }
    } catch (IOException changesNothing) {
      // The status has said what became of the batch.
    }
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int unit = in.read(); unit != '\n'; unit = in.read()) {
      if (unit < 0 || line.length() == LINE_LIMIT) {
        throw new IOException("the answer breaks off");
      }
      if (unit != '\r') {
        line.append((char) unit);
      }
    }
    return line.toString();
  }

  private static void close(Socket socket) {
    if (socket != null) {
      try {
        socket.close();
      } catch (IOException closedAlready) {
        // Nothing depends on it.
      }
    }
  }
}
