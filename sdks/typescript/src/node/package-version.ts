import { readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/**
 * The version of an installed package, as the program that runs would resolve it; `undefined`
 * when it cannot be found, for example because the host is bundled.
 *
 * Packages seldom export their package.json, so it is looked for above their entry point.
 */
export function packageVersion(name: string): string | undefined {
  for (const from of [mainScript(), join(process.cwd(), "index.js")]) {
    if (from === undefined) continue;
    for (const specifier of [name, `${name}/server/index.js`]) {
      const version = versionAbove(resolve(from, specifier), name);
      if (version !== undefined) return version;
    }
  }
  return undefined;
}

function mainScript(): string | undefined {
  try {
    return process.argv[1] === undefined ? undefined : realpathSync(process.argv[1]);
  } catch {
    return undefined;
  }
}

function resolve(from: string, specifier: string): string | undefined {
  try {
    return createRequire(from).resolve(specifier);
  } catch {
    return undefined;
  }
}

function versionAbove(file: string | undefined, name: string): string | undefined {
  if (file === undefined) return undefined;
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    try {
      const found = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      if (found.name === name) return typeof found.version === "string" ? found.version : undefined;
    } catch {
      // No package.json here, or none that can be read.
    }
  }
  return undefined;
}
