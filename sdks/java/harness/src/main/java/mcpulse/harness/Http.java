package mcpulse.harness;

import jakarta.servlet.ServletConfig;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** Serves over HTTP, from 127.0.0.1 and a free port. */
final class Http {
  private Http() {}

  static void serve(Flags flags, Servers servers) throws Exception {
    Server jetty = new Server();
    ServerConnector connector = new ServerConnector(jetty, 1, 1);
    connector.setHost("127.0.0.1");
    jetty.addConnector(connector);
    ServletContextHandler context = new ServletContextHandler("/");
    jetty.setHandler(context);
    for (String path : servers.paths()) {
      ServletHolder holder =
          flags.stateless
              ? new ServletHolder(new PerRequest(servers, path))
              : new ServletHolder((HttpServlet) servers.forSessions(path).servlet());
      holder.setAsyncSupported(true);
      context.addServlet(holder, path);
    }
    jetty.start();
    List<String> urls =
        servers.paths().stream()
            .map(path -> "\"http://127.0.0.1:" + connector.getLocalPort() + path + "\"")
            .collect(Collectors.toList());
    System.out.println(
        "{\"url\":" + urls.get(0) + ",\"more\":[" + String.join(",", urls.subList(1, urls.size())) + "]}");
    System.out.flush();
  }

  /** A server object for each request. */
  private static final class PerRequest extends HttpServlet {
    private static final long serialVersionUID = 1L;
    private final transient Servers servers;
    private final String path;
    private transient ServletConfig config;

    PerRequest(Servers servers, String path) {
      this.servers = servers;
      this.path = path;
    }

    @Override
    public void init(ServletConfig given) throws ServletException {
      super.init(given);
      config = given;
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response)
        throws ServletException, IOException {
      jakarta.servlet.Servlet transport = servers.forOneRequest(path).servlet();
      transport.init(config);
      transport.service(request, response);
    }
  }
}
