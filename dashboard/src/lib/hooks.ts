import { useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore, type RefObject } from "react";

/** The width of an element in CSS pixels, as it changes; 0 before the first layout. */
export function useWidth<T extends HTMLElement>(): [RefObject<T | null>, number] {
  const ref = useRef<T>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return undefined;
    setWidth(element.clientWidth);
    const observer = new ResizeObserver(() => {
      setWidth(element.clientWidth);
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
    };
  }, []);
  return [ref, width];
}

/** The clock, ticking every `every` milliseconds while the page is visible. */
export function useNow(every = 1000): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) setNow(Date.now());
    }, every);
    return () => {
      clearInterval(timer);
    };
  }, [every]);
  return now;
}

/** Sets the title of the browser's tab. */
export function useTitle(...parts: string[]): void {
  const title = [...parts.filter(Boolean), "MCPulse"].join(" · ");
  useEffect(() => {
    document.title = title;
  }, [title]);
}

/** Where figures beside each other are cut back to what fits: the width at which style sheets do so, too. */
const NARROW = "(max-width: 48rem)";

function watchWidth(changed: () => void): () => void {
  const query = window.matchMedia(NARROW);
  query.addEventListener("change", changed);
  return () => {
    query.removeEventListener("change", changed);
  };
}

/** Whether the window is as narrow as a phone. */
export function useNarrow(): boolean {
  return useSyncExternalStore(watchWidth, () => window.matchMedia(NARROW).matches);
}
