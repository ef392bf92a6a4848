import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from "react";

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
