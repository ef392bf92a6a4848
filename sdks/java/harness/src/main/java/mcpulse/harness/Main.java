package mcpulse.harness;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import sun.misc.Signal;

/** The program that the conformance kit drives; docs/harness.md says how. */
public final class Main {
  private Main() {}

  public static void main(String[] args) throws Exception {
    Flags flags = Flags.of(args);
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, error) -> {
          error.printStackTrace();
          System.exit(1);
        });
    if (flags.onSigterm != null) {
      Signal.handle(new Signal("TERM"), signal -> System.exit(flags.onSigterm));
    }
    switch (flags.mode) {
      case "fixtures":
        Fixtures.answer(System.in, System.out);
        break;
      case "churn":
        churn(new Servers(flags), flags.count);
        break;
      default:
        if (flags.transport.equals("http")) {
          Http.serve(flags, new Servers(flags));
        } else {
          new Servers(flags).stdio();
        }
    }
  }

  private static void churn(Servers servers, int total) {
    List<WeakReference<Object>> made = new ArrayList<>();
    for (int count = 0; count < total; count++) {
      made.add(new WeakReference<>(servers.forOneRequest().server()));
    }
    int alive = total;
    for (int tries = 0; alive > 0 && tries < 10; tries++) {
      System.gc();
      alive = (int) made.stream().filter(server -> server.get() != null).count();
    }
    System.out.println("{\"created\":" + total + ",\"alive\":" + alive + "}");
  }
}
