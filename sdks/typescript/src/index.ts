/**
 * MCPulse: analytics for MCP servers. This is the portable entry point, for runtimes with `fetch`
 * and little else; Node gets its own.
 *
 * @module
 */
export type { AgreementOptions, WatchOptions } from "./options.js";
export { VERSION } from "./version.js";
export { flush, watch } from "./watch.js";
export type { Policy } from "./wire/payloads.js";
