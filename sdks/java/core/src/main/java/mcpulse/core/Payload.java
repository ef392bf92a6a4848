package mcpulse.core;

import java.util.LinkedHashMap;
import java.util.Map;
import mcpulse.wire.Fit;

/** One payload of wire format 1. What takes time to write is left to the sender. */
public interface Payload {
  /** The payload as it is sent. */
  Map<String, Object> wire();

  /** One finished call. */
  record CallPayload(
      String sessionId,
      String clientName,
      Object toolName,
      long startedMs,
      long durationMs,
      Outcome outcome,
      long units,
      boolean isEmpty,
      String argsHash)
      implements Payload {
    @Override
    public Map<String, Object> wire() {
      Map<String, Object> wire = begin("call", sessionId);
      wire.put("client_name", Fit.name(clientName, Fit.MAX_CLIENT_NAME));
      wire.put("tool_name", Fit.name(toolName, Fit.MAX_TOOL_NAME));
      wire.put("started_at", Fit.time(startedMs));
      wire.put("duration_ms", Fit.integer(durationMs, Fit.MAX_DURATION_MS));
      wire.put("outcome", outcome.wire());
      wire.put("response_bytes", Fit.integer(units, Fit.MAX_UNITS));
      wire.put("is_empty", outcome == Outcome.OK && isEmpty);
      wire.put("args_hash", argsHash);
      return wire;
    }
  }

  /** Whether two tools agreed about one declared field. */
  record AgreementPayload(String sessionId, Agreements.Verdict verdict, long checkedMs)
      implements Payload {
    @Override
    public Map<String, Object> wire() {
      Map<String, Object> wire = begin("agreement", sessionId);
      wire.put("field", verdict.field());
      wire.put("tool_a", verdict.toolA());
      wire.put("tool_b", verdict.toolB());
      wire.put("agreed", verdict.agreed());
      wire.put("checked_at", Fit.time(checkedMs));
      wire.put("window_ms", verdict.windowMs());
      return wire;
    }
  }

  /** The members that all payloads begin with. */
  static Map<String, Object> begin(String type, String sessionId) {
    Map<String, Object> wire = new LinkedHashMap<>();
    wire.put("v", 1);
    wire.put("type", type);
    wire.put("session_id", sessionId);
    return wire;
  }
}
