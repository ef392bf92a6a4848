import { fileURLToPath } from "node:url";

const from = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Screenshots, traces of failures and the report: kept by CI, ignored by git. */
export const ARTIFACTS = from("../../artifacts/e2e");
/** The signed-in browser's cookie. */
export const STATE = from("../test-results/state.json");
/** The binary under test. */
export const MCPULSE = process.env["MCPULSE_BIN"] ?? from("../../target/release/mcpulse");
