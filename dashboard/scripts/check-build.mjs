// What the server's content security policy and readers' patience ask of the build: nothing inline, nothing from
// elsewhere, and a first load of less than 250 kB of JavaScript, gzipped.
import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const MOST = 250_000;
const dist = fileURLToPath(new URL("../dist/", import.meta.url));
const html = readFileSync(`${dist}index.html`, "utf8");
const faults = [];

if (/<script(?![^>]*\bsrc=)/u.test(html)) faults.push("index.html holds an inline script");
if (/<style|\sstyle=/u.test(html)) faults.push("index.html holds an inline style");
if (/\son[a-z]+=/u.test(html)) faults.push("index.html holds an inline event handler");
if (/(?:src|href)="(?:https?:)?\/\//u.test(html)) faults.push("index.html loads from elsewhere");
for (const name of readdirSync(`${dist}assets`)) {
  if (!/-[\w-]{8,}\.\w+$/u.test(name)) faults.push(`assets/${name} has no hash in its name`);
  if (name.endsWith(".css")) {
    const css = readFileSync(`${dist}assets/${name}`, "utf8");
    if (/url\(["']?(?:data:|https?:|\/\/)/u.test(css))
      faults.push(`assets/${name} holds or fetches what it should not`);
  }
}

/** Every script that an entry brings with it: itself and its static imports, and what the first page needs. */
function load(name, seen = new Set()) {
  if (seen.has(name)) return seen;
  seen.add(name);
  const code = readFileSync(`${dist}assets/${name}`, "utf8");
  for (const [, next] of code.matchAll(/(?:from|import)\s*["']\.\/([\w.-]+\.js)["']/gu)) load(next, seen);
  return seen;
}

const entries = [...html.matchAll(/(?:src|href)="\/assets\/([\w.-]+\.js)"/gu)].map((found) => found[1]);
const overview = readdirSync(`${dist}assets`).filter((name) => /^Overview-.*\.js$/u.test(name));
const first = new Set();
for (const entry of [...entries, ...overview]) load(entry, first);
const sizes = [...first].map((name) => gzipSync(readFileSync(`${dist}assets/${name}`), { level: 9 }).length);
const total = sizes.reduce((sum, size) => sum + size, 0);
if (entries.length === 0 || overview.length === 0) faults.push("no entry or no overview was found");
if (total >= MOST) faults.push(`the first load is ${total} bytes gzipped, at most ${MOST}`);

for (const fault of faults) console.error(`fault: ${fault}`);
console.log(`first load: ${(total / 1000).toFixed(1)} kB of JavaScript, gzipped, in ${first.size} files`);
process.exit(faults.length > 0 ? 1 : 0);
