/** Dark or light: what the system says, unless the reader chose. */
import { useSyncExternalStore } from "react";

export type Choice = "system" | "light" | "dark";

const KEY = "mcpulse.theme";
const media = window.matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<() => void>();

function choice(): Choice {
  const kept = window.localStorage.getItem(KEY);
  return kept === "light" || kept === "dark" ? kept : "system";
}

function apply(): void {
  const chosen = choice();
  const dark = chosen === "dark" || (chosen === "system" && media.matches);
  document.documentElement.dataset["theme"] = dark ? "dark" : "light";
}

/** Sets the theme now and whenever the system changes its mind. */
export function startTheme(): void {
  apply();
  media.addEventListener("change", apply);
}

export function setTheme(next: Choice): void {
  if (next === "system") window.localStorage.removeItem(KEY);
  else window.localStorage.setItem(KEY, next);
  apply();
  for (const tell of listeners) tell();
}

export function useTheme(): Choice {
  return useSyncExternalStore((tell) => {
    listeners.add(tell);
    return () => listeners.delete(tell);
  }, choice);
}
