package mcpulse.core;

import java.util.function.Consumer;

/** What is known about one watched server. Nothing global holds on to it. */
public final class Watcher {
  final Settings settings;
  final Destination destination;
  final Surface surface;

  private Watcher(Settings settings, Destination destination, String mcpSdkVersion) {
    this.settings = settings;
    this.destination = destination;
    this.surface = new Surface(this, mcpSdkVersion);
  }

  /**
   * Reads the options. Null when nothing is to be watched.
   *
   * @param sdk this producer, for example {@code mcpulse-java/0.1.0}
   */
  public static Watcher of(
      Options options, String sdk, String mcpSdkVersion, Consumer<String> complain) {
    Settings settings = Settings.of(options, complain);
    return settings == null
        ? null
        : new Watcher(settings, Destination.of(settings, sdk), mcpSdkVersion);
  }

  /** What is done with reasons before a destination is known: told if the options ask for it. */
  public static Consumer<String> complaints(Options options) {
    return options.debug ? Debug::say : reason -> {};
  }

  /** The tools that clients of this server see. */
  public Surface surface() {
    return surface;
  }

  /** Whether it matters which conversation a call is of. */
  public boolean namesConversations() {
    return settings.perConversation() || !settings.agreements().isEmpty();
  }

  /** Counts a request that is rightly not recorded. */
  public void unrecorded(String reason) {
    destination.loss().unrecorded(reason);
  }

  /** Writes a debug line, if anyone asked for them. */
  public void say(String text) {
    destination.say(text);
  }
}
