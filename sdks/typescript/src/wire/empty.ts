/** Whether a successful answer says anything. */
import { countedMembers } from "./sizes.js";

/**
 * True when a result (asked only of calls that are `ok`) holds no answer: no content, one blank
 * text part, or JSON for nothing. Numbers and booleans are answers; so are two or more parts and
 * parts that are not text.
 */
export function isEmptyResult(result: unknown): boolean {
  const counted = countedMembers(result);
  if (typeof counted !== "object" || counted === null || Array.isArray(counted)) {
    return isNothing(counted);
  }
  const { structuredContent, content } = counted as Record<string, unknown>;
  if (structuredContent !== undefined) return isNothing(openEnvelope(structuredContent));
  if (!Array.isArray(content)) return isNothing(counted);
  if (content.length !== 1) return content.length === 0;
  const part = content[0] as { type?: unknown; text?: unknown } | null;
  return part?.type === "text" && typeof part.text === "string" && saysNothing(part.text);
}

/** Some MCP SDKs wrap a tool's plain return value as `{"result": x}`; `x` is what counts. */
function openEnvelope(structured: unknown): unknown {
  if (typeof structured !== "object" || structured === null) return structured;
  const keys = Object.keys(structured);
  return keys.length === 1 && keys[0] === "result"
    ? (structured as { result: unknown }).result
    : structured;
}

function isNothing(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value === "string") return saysNothing(value);
  if (Array.isArray(value)) return value.length === 0;
  if (typeof value !== "object") return false;
  for (const key in value) if ((value as Record<string, unknown>)[key] !== undefined) return false;
  return true;
}

/** Blank is what JSON calls white space, and only that: a no-break space is text. */
const BLANK = /^[ \t\n\r]*$/;
/** JSON for null, `[]`, `{}` or a blank string, in the four ways a blank can be written in one. */
const JSON_NOTHING =
  /^[ \t\n\r]*(?:null|\[[ \t\n\r]*\]|\{[ \t\n\r]*\}|"(?: |\\[tnr]|\\u00(?:20|09|0[aAdD]))*")[ \t\n\r]*$/;

function saysNothing(text: string): boolean {
  return BLANK.test(text) || JSON_NOTHING.test(text);
}
