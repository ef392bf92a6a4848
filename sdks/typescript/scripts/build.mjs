// Builds dist/esm and dist/cjs from one source: the same files, compiled twice.
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const typescript = createRequire(import.meta.url).resolve("typescript/package.json");
const tsc = join(dirname(typescript), "bin", "tsc");

rmSync(join(root, "dist"), { recursive: true, force: true });
for (const kind of ["esm", "cjs"]) {
  execFileSync(process.execPath, [tsc, "-p", join(root, `tsconfig.${kind}.json`)], {
    stdio: "inherit",
  });
  // Node reads a .js file by the nearest package.json.
  const type = kind === "esm" ? "module" : "commonjs";
  writeFileSync(join(root, "dist", kind, "package.json"), `{"type":"${type}"}\n`);
}
