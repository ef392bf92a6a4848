import { act, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { KEPT, add, useArrivals } from "./live";
import type { CallRow, IngestEvent } from "./types";

const call = (seq: number): CallRow => ({
  seq,
  received_ms: seq,
  session_id: "s",
  client: "c",
  tool: "t",
  started_ms: seq,
  duration_ms: 1,
  outcome: "ok",
  is_empty: false,
  response_units: 1,
  args_hash: "44136fa355b3",
});

const request: IngestEvent = {
  received_ms: 1,
  key_id: "key_1",
  producer: "other",
  calls: 1,
  startups: 0,
  agreements: 0,
  rejected: 0,
  rejections: [],
  lag_ms: -5,
};

/** Stands in for the browser's: remembers who was opened, and says what a test wants said. */
class FakeSource extends EventTarget {
  static readonly CLOSED = 2;
  static opened: FakeSource[] = [];
  readyState = 0;
  constructor(readonly url: URL) {
    super();
    FakeSource.opened.push(this);
  }
  say(name: string, data: object, lastEventId: string): void {
    this.dispatchEvent(new MessageEvent(name, { data: JSON.stringify(data), lastEventId }));
  }
  close(): void {
    this.readyState = FakeSource.CLOSED;
  }
}

beforeEach(() => {
  FakeSource.opened = [];
  vi.stubGlobal("EventSource", FakeSource);
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const newest = (): FakeSource => {
  const found = FakeSource.opened.at(-1);
  if (!found) throw new Error("nothing was opened");
  return found;
};
const after = (source: FakeSource): string | null => source.url.searchParams.get("last_event_id");

it("keeps the newest first, each once, and no more than are shown", () => {
  const none = { calls: [], requests: [], missed: null };
  const some = add(none, { calls: [call(1), call(3), call(2)], requests: [], missed: null });
  expect(some.calls.map(({ seq }) => seq)).toEqual([3, 2, 1]);
  const more = add(some, { calls: [call(3), call(4)], requests: [request], missed: { arrivals: 7 } });
  expect(more.calls.map(({ seq }) => seq)).toEqual([4, 3, 2, 1]);
  expect(more.missed?.arrivals).toBe(7);
  const many = Array.from({ length: 3 * KEPT }, (_, i) => call(i + 10));
  expect(add(more, { calls: many, requests: [], missed: null }).calls).toHaveLength(KEPT);
});

it("goes on behind what is shown, and shows what comes together", () => {
  const { result } = renderHook(() => useArrivals("srv_1", 41, false));
  expect(newest().url.pathname).toBe("/v1/servers/srv_1/live");
  expect(after(newest())).toBe("41");
  act(() => {
    newest().say("ready", {}, "41-9-0");
    newest().say("call", call(42), "42-9-0");
    newest().say("ingest", request, "42-9-1");
  });
  expect(result.current.live).toBe(true);
  expect(result.current.calls).toEqual([]);
  act(() => {
    vi.runAllTimers();
  });
  expect(result.current.calls.map(({ seq }) => seq)).toEqual([42]);
  expect(result.current.requests).toEqual([request]);
});

it("holds no connection while the page is hidden, and comes back where it was", () => {
  renderHook(() => useArrivals("srv_1", 1, false));
  const first = newest();
  act(() => {
    first.say("call", call(5), "5-9-2");
  });
  const hidden = vi.spyOn(document, "hidden", "get").mockReturnValue(true);
  act(() => {
    document.dispatchEvent(new Event("visibilitychange"));
  });
  expect(first.readyState).toBe(FakeSource.CLOSED);
  expect(FakeSource.opened).toHaveLength(1);
  hidden.mockReturnValue(false);
  act(() => {
    document.dispatchEvent(new Event("visibilitychange"));
  });
  expect(after(newest())).toBe("5-9-2");
  hidden.mockRestore();
});

it("tries again after it was refused, and not once it is paused", () => {
  const { result, rerender } = renderHook(({ paused }) => useArrivals("srv_1", 1, paused), {
    initialProps: { paused: false },
  });
  const refuse = (): void => {
    act(() => {
      newest().readyState = FakeSource.CLOSED;
      newest().dispatchEvent(new Event("error"));
    });
  };
  refuse();
  expect(result.current.live).toBe(false);
  act(() => {
    vi.runAllTimers();
  });
  expect(FakeSource.opened).toHaveLength(2);
  refuse();
  rerender({ paused: true });
  act(() => {
    vi.runAllTimers();
  });
  expect(FakeSource.opened).toHaveLength(2);
});

it("loses nothing to a pause: what had come is shown, and it goes on behind it", () => {
  const { result, rerender } = renderHook(({ paused }) => useArrivals("srv_1", 1, paused), {
    initialProps: { paused: false },
  });
  act(() => {
    newest().say("call", call(8), "8-9-3");
  });
  rerender({ paused: true });
  expect(result.current.calls.map(({ seq }) => seq)).toEqual([8]);
  rerender({ paused: false });
  expect(after(newest())).toBe("8-9-3");
});
