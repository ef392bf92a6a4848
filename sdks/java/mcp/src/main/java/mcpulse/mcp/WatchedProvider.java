package mcpulse.mcp;

import io.modelcontextprotocol.spec.McpServerSession;
import io.modelcontextprotocol.spec.McpServerTransportProvider;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import reactor.core.publisher.Mono;

/** The transport of one session, with an ear on the handshake: it may be over before a server is watched. */
final class WatchedProvider implements McpServerTransportProvider {
  final McpServerTransportProvider provider;
  final AtomicBoolean attached = new AtomicBoolean();
  volatile McpServerSession session;
  /** The version of the protocol that the client wants. */
  volatile Object wanted;

  WatchedProvider(McpServerTransportProvider provider) {
    this.provider = provider;
  }

  @Override
  public void setSessionFactory(McpServerSession.Factory factory) {
    provider.setSessionFactory(
        new ObservedServerSession.Factory(
            factory,
            made -> {
              session = made;
              return new ObservedServerSession(made, (id, version) -> wanted = version);
            }));
  }

  @Override
  public Mono<Void> notifyClients(String method, Object params) {
    return provider.notifyClients(method, params);
  }

  @Override
  public Mono<Void> notifyClient(String sessionId, String method, Object params) {
    return provider.notifyClient(sessionId, method, params);
  }

  @Override
  public Mono<Void> closeGracefully() {
    return provider.closeGracefully();
  }

  @Override
  public void close() {
    provider.close();
  }

  @Override
  public List<String> protocolVersions() {
    return provider.protocolVersions();
  }
}
