/**
 * The pure half of the producer: canonical form, hashes, sizes and emptiness. No input or output.
 *
 * @module
 */
export {
  argsHash,
  canonicalHash,
  canonicalize,
  canonicalizeArgsText,
  canonicalizeText,
  DEPTH_LIMIT,
  EMPTY_ARGS_HASH,
  NOT_REPRESENTABLE_HASH,
} from "./canonical.js";
export { descriptionHash, descriptionNorm, descriptionTokens } from "./description.js";
export { isEmptyResult } from "./empty.js";
export * from "./payloads.js";
export { stem } from "./porter.js";
export { hash12, portableSha256, sha256 } from "./sha256.js";
export { type ResultSize, resultSize, utf16Length } from "./sizes.js";
export { STOP_WORDS } from "./stop-words.js";
export { describeTool, type ToolEntry } from "./tool.js";
