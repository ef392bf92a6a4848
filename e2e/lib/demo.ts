/** Starts the demo before the tests and ends it after them. */
import { spawn, type ChildProcess } from "node:child_process";
import { createWriteStream, existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { ARTIFACTS, MCPULSE, STATE } from "./paths.ts";

const LINK = /https?:\/\/\S+\/sign-in#\S+/u;

export default async function startDemo(): Promise<() => Promise<void>> {
  mkdirSync(ARTIFACTS, { recursive: true });
  mkdirSync(dirname(STATE), { recursive: true });
  if (!existsSync(MCPULSE)) throw new Error(`${MCPULSE} is missing: run \`make build\` first`);

  const demo = spawn(MCPULSE, ["demo", "--listen", "127.0.0.1:0"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const link = await printed(demo);
  // Workers inherit the environment of this process.
  process.env["MCPULSE_E2E_LINK"] = link;
  process.env["MCPULSE_E2E_URL"] = new URL(link).origin;
  return () => stop(demo);
}

/** The sign-in link in what the demo prints; everything it prints is kept as an artefact. */
async function printed(demo: ChildProcess): Promise<string> {
  const log = createWriteStream(`${ARTIFACTS}/demo.log`);
  return new Promise((resolve, reject) => {
    let seen = "";
    for (const stream of [demo.stdout, demo.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        log.write(text);
        seen = (seen + text).slice(-100_000);
        const [link] = LINK.exec(seen) ?? [];
        if (link !== undefined) resolve(link);
      });
    }
    demo.once("error", reject);
    demo.once("exit", (code) => {
      reject(new Error(`the demo ended with ${String(code)} before it printed a sign-in link:\n${seen}`));
    });
  });
}

async function stop(demo: ChildProcess): Promise<void> {
  if (demo.exitCode !== null || demo.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => demo.once("exit", () => resolve()));
  demo.kill("SIGINT");
  const kill = setTimeout(() => demo.kill("SIGKILL"), 30_000);
  await ended;
  clearTimeout(kill);
}
