import { expect, it } from "vitest";
import { toCsv } from "./csv";

it("quotes what RFC 4180 says, and disarms formulas in names", () => {
  const csv = toCsv(
    ["tool", "calls"],
    [
      ['say "hi", now', 3],
      ["=cmd|' /C calc'!A0", null],
      ["-1", -1],
      ["line\nbreak", 0.5],
    ],
  );
  expect(csv).toBe(
    'tool,calls\r\n"say ""hi"", now",3\r\n\'=cmd|\' /C calc\'!A0,\r\n\'-1,-1\r\n"line\nbreak",0.5\r\n',
  );
});
