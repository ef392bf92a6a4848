import { readFileSync } from "node:fs";

/** A file of the project's `spec/`, seen from build/test/support. */
export function readSpec<T>(name: string): T {
  const url = new URL(`../../../../../spec/${name}`, import.meta.url);
  return JSON.parse(readFileSync(url, "utf8")) as T;
}
