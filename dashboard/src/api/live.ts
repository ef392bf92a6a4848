/** What arrives at a server, as it arrives: one connection for both tails, and none while nobody looks. */
import { useEffect, useReducer, useRef, useState } from "react";
import type { CallRow, IngestEvent, LiveEvent, Missed } from "./types";

/** How many of each are kept to be shown. */
export const KEPT = 200;
/** What comes within so many milliseconds is shown together. */
const TOGETHER = 250;
/** After a connection that the browser gave up, the next is tried so much later. */
const AGAIN = 5_000;

export interface Arrivals {
  /** Newest first. */
  calls: readonly CallRow[];
  /** Ingest requests since the page was opened, newest first. */
  requests: readonly IngestEvent[];
  /** What was left out because this page was away or too slow. */
  missed: Missed | null;
}

export interface Batch {
  calls: CallRow[];
  requests: IngestEvent[];
  missed: Missed | null;
}

/** Adds what came, newest first, each call once. */
export function add(to: Arrivals, { calls, requests, missed }: Batch): Arrivals {
  const known = new Set(to.calls.map((call) => call.seq));
  const fresh = calls.filter((call) => !known.has(call.seq)).toSorted((a, b) => b.seq - a.seq);
  return {
    calls: [...fresh, ...to.calls].slice(0, KEPT),
    requests: [...requests.toReversed(), ...to.requests].slice(0, KEPT),
    missed: missed ?? to.missed,
  };
}

const nothing = (): Batch => ({ calls: [], requests: [], missed: null });

/**
 * Watches a server's tails from behind the newest call that is shown. A hidden page closes its connection (browsers
 * open only a few to one host) and goes on where it was when it is looked at again.
 */
export function useArrivals(
  serverId: string,
  after: number | undefined,
  paused: boolean,
): Arrivals & { live: boolean } {
  const [arrivals, arrived] = useReducer(add, { calls: [], requests: [], missed: null });
  const [live, setLive] = useState(false);
  // Where it goes on after a pause: what came meanwhile is then shown, too.
  const place = useRef<string | null>(null);
  const isReady = after !== undefined;
  useEffect(() => {
    if (!isReady || paused) return undefined;
    let source: EventSource | undefined;
    let last = place.current ?? String(after);
    let waiting = nothing();
    let flushing: ReturnType<typeof setTimeout> | undefined;
    let again: ReturnType<typeof setTimeout> | undefined;
    const later = (): void => {
      flushing ??= setTimeout(() => {
        flushing = undefined;
        arrived(waiting);
        waiting = nothing();
      }, TOGETHER);
    };
    const close = (): void => {
      clearTimeout(again);
      source?.close();
      source = undefined;
      setLive(false);
    };
    const open = (): void => {
      close();
      const url = new URL(`/v1/servers/${encodeURIComponent(serverId)}/live`, window.location.origin);
      url.searchParams.set("last_event_id", last);
      const opened = new EventSource(url);
      source = opened;
      for (const name of ["ready", "call", "ingest", "missed"] as const) {
        opened.addEventListener(name, (event: MessageEvent<string>) => {
          if (event.lastEventId !== "") last = event.lastEventId;
          place.current = last;
          setLive(true);
          // What the server sends under each name, its OpenAPI document says.
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion
          const body = { [name]: JSON.parse(event.data) as unknown } as LiveEvent;
          if (body.call) waiting.calls.push(body.call);
          if (body.ingest) waiting.requests.push(body.ingest);
          if (body.missed) waiting.missed = body.missed;
          later();
        });
      }
      opened.addEventListener("error", () => {
        setLive(false);
        // The browser comes back by itself, unless it was refused.
        if (opened.readyState === EventSource.CLOSED) {
          clearTimeout(again);
          again = setTimeout(open, AGAIN);
        }
      });
    };
    const look = (): void => {
      if (document.hidden) close();
      else open();
    };
    look();
    document.addEventListener("visibilitychange", look);
    return () => {
      document.removeEventListener("visibilitychange", look);
      clearTimeout(flushing);
      close();
      arrived(waiting);
    };
    // Where it begins is read once: later it goes on from what it was sent last.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [serverId, isReady, paused]);
  return { ...arrivals, live };
}
