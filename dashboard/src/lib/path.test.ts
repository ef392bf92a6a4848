import { describe, expect, it } from "vitest";
import { nameOf, partOf } from "./path";

describe("names in paths", () => {
  it.each(["search", ".", "..", "...", "~", "~x", "~~", "a/b", ".a"])("%s comes back as it was", (name) => {
    expect(nameOf(partOf(name))).toBe(name);
  });

  it("no part is one that browsers resolve away", () => {
    expect([".", ".."].map(partOf)).toEqual(["~.", "~.."]);
  });
});
