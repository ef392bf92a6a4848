package mcpulse.core;

import mcpulse.wire.Canonical;

/** Payloads as JSON: their canonical form, in the order of their keys. */
final class Json {
  private Json() {}

  static String of(Object payload) {
    String json = Canonical.of(payload);
    if (json == null) {
      throw new IllegalArgumentException("not representable");
    }
    return json;
  }
}
