import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";

const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((name) =>
  name.endsWith(".tsx"),
);

/** The names of classes that a component takes from its module; `css[x]` cannot be followed and is left out. */
function used(source: string, variable: string): string[] {
  return [...source.matchAll(new RegExp(`\\b${variable}\\.([A-Za-z]\\w*)`, "gu"))].map(
    (found) => found[1] ?? "",
  );
}

it("uses only classes that its style sheets define", () => {
  const missing: string[] = [];
  for (const file of files) {
    const source = readFileSync(join("src", file), "utf8");
    const body = source.replaceAll(/^import .*$/gmu, "");
    for (const [, variable = "", path = ""] of source.matchAll(
      /import (\w+) from "(\.[^"]+\.module\.css)"/gu,
    )) {
      const sheet = readFileSync(join("src", dirname(file), path), "utf8");
      for (const name of used(body, variable)) {
        if (!new RegExp(`\\.${name}\\b`, "u").test(sheet)) missing.push(`${file}: .${name}`);
      }
    }
  }
  expect(files.length).toBeGreaterThan(20);
  expect(missing).toEqual([]);
});
