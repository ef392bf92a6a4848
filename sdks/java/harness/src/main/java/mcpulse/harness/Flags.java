package mcpulse.harness;

/** The command line. */
final class Flags {
  String mode = "serve";
  int count;
  String transport = "stdio";
  String sdk = "sync";
  boolean stateless;
  boolean watched = true;
  boolean early;
  boolean twice;
  boolean perConversation;
  boolean debug;
  int servers = 1;
  Integer onSigterm;

  static Flags of(String[] args) {
    Flags flags = new Flags();
    for (int at = 0; at < args.length; at++) {
      String flag = args[at];
      String value = at + 1 < args.length ? args[at + 1] : "";
      boolean alone = true;
      switch (flag) {
        case "fixtures" -> flags.mode = flag;
        case "--unwatched" -> flags.watched = false;
        case "--early" -> flags.early = true;
        case "--twice" -> flags.twice = true;
        case "--debug" -> flags.debug = true;
        default -> {
          alone = false;
          flags.take(flag, value);
        }
      }
      at += alone ? 0 : 1;
    }
    return flags;
  }

  private void take(String flag, String value) {
    switch (flag) {
      case "churn" -> {
        mode = flag;
        count = Integer.parseInt(value);
      }
      case "--transport" -> transport = value;
      case "--sdk" -> sdk = value;
      case "--http" -> stateless = value.equals("stateless");
      case "--servers" -> servers = Integer.parseInt(value);
      case "--sessions" -> perConversation = value.equals("conversation");
      case "--on-sigterm" -> onSigterm = Integer.valueOf(value);
      case "--api" -> {
        if (!value.equals("high")) {
          unsupported("--api low", "the MCP SDK of Java has no low-level server API");
        }
      }
      case "--fork" -> unsupported(flag, "the JVM does not fork");
      default -> unsupported(flag, "no such flag");
    }
    if (!sdk.equals("sync") && !sdk.equals("async")) {
      unsupported("--sdk " + sdk, "no such API");
    }
  }

  private static void unsupported(String flag, String reason) {
    System.err.println("unsupported: " + flag + ": " + reason);
    System.exit(64);
  }
}
