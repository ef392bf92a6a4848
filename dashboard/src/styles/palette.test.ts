import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

/** Machado, Oliveira and Fernandes (2009), full severity, on linear RGB. */
const VISION: Record<string, readonly (readonly number[])[]> = {
  usual: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

const OUTCOMES = ["ok", "empty", "bad-args", "tool-error", "crashed"];
const css = readFileSync("src/styles/tokens.css", "utf8");

function tokens(selector: string): Record<string, string> {
  const block = css.slice(css.indexOf(`${selector} {`)).split("}")[0] ?? "";
  return Object.fromEntries(
    [...block.matchAll(/--([a-z0-9-]+): (#[0-9a-f]{6});/gu)].map((m): [string, string] => [
      m[1] ?? "",
      m[2] ?? "",
    ]),
  );
}

type Triple = [number, number, number];

function linear(hex: string): Triple {
  return [1, 3, 5].map((at) => {
    const c = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  }) as Triple;
}

function seen(rgb: Triple, matrix: readonly (readonly number[])[]): Triple {
  return matrix.map((row) =>
    Math.min(
      1,
      Math.max(
        0,
        row.reduce((sum, weight, i) => sum + weight * (rgb[i] ?? 0), 0),
      ),
    ),
  ) as Triple;
}

function oklab([r, g, b]: Triple): Triple {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function distance(a: Triple, b: Triple): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

function luminance([r, g, b]: Triple): number {
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [x, y] = [luminance(linear(a)), luminance(linear(b))];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

describe.each([
  ["light", tokens(":root")],
  ["dark", tokens(':root[data-theme="dark"]')],
])("the %s palette", (_, theme) => {
  const colour = (name: string): string => theme[name] ?? "missing";

  it.each(Object.keys(VISION))("keeps outcomes apart for %s", (vision) => {
    const matrix = VISION[vision] ?? [];
    for (const [i, one] of OUTCOMES.entries()) {
      for (const other of OUTCOMES.slice(i + 1)) {
        const [a, b] = [seen(linear(colour(one)), matrix), seen(linear(colour(other)), matrix)];
        expect(distance(oklab(a), oklab(b)), `${one} and ${other}`).toBeGreaterThan(0.09);
      }
    }
  });

  it("keeps outcomes apart in grey", () => {
    const greys = OUTCOMES.map((name) => Math.cbrt(luminance(linear(colour(name))))).toSorted(
      (a, b) => a - b,
    );
    for (const [i, grey] of greys.slice(1).entries()) {
      expect(grey - (greys[i] ?? 0)).toBeGreaterThan(0.045);
    }
  });

  it("writes text in readable contrast", () => {
    for (const ground of ["paper", "surface", "sunken"]) {
      for (const ink of ["ink", "ink-2", "ink-3", "accent-ink", "good", "bad", "warn"]) {
        expect(contrast(colour(ink), colour(ground)), `${ink} on ${ground}`).toBeGreaterThanOrEqual(4.5);
      }
    }
    expect(contrast(colour("on-accent"), colour("accent"))).toBeGreaterThanOrEqual(4.5);
    expect(contrast(colour("ink-2"), colour("hover"))).toBeGreaterThanOrEqual(4.5);
    for (const soft of ["good", "bad", "warn"]) {
      expect(contrast(colour(soft), colour(`${soft}-soft`)), soft).toBeGreaterThanOrEqual(4.5);
    }
  });
});
