import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** Matches `from "./name-HASH.js"`, `import "./name-HASH.js"`, and `import("./name-HASH.js")`, as esbuild writes them. */
const IMPORT = /\b(?:from|import)\s*(\(?)\s*["']\.\/([\w-]+-[A-Z\d]{8}\.js)["']/g;

/**
 * Resolves with these modules of a build and the modules that they import, sorted by name. The programs of a build share their chunks, so
 * the names of the files do not say which program needs them.
 *
 * @param statically whether to leave out modules that are imported with `import()`. Default: false
 */
export async function importedModules(
  dist: string,
  entries: readonly string[],
  { statically = false } = {},
): Promise<string[]> {
  const found = new Set(entries);
  // The set grows during the iteration, which also visits new members.
  for (const file of found) {
    const text = await readFile(path.join(dist, file), 'utf8');
    for (const [, dynamic, name = ''] of text.matchAll(IMPORT)) {
      if (!statically || dynamic === '') found.add(name);
    }
  }
  return [...found].sort();
}
