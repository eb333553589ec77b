import path from 'node:path';
import { TimeLimitExceeded, withTimeLimit } from '../../../../machine/timeLimit.ts';
import type { JsonSchema } from '../schema/schemaFiles.ts';
import { javascriptInput } from './javascriptInput.ts';
import { pythonInput } from './pythonInput.ts';
import { pythonModule, type PythonModule } from './pythonModule.ts';

/* The schema that the source of a worker declares for its input. Sources are read as text, and never executed. */

/** Maximum number of files that are read for one worker. */
const MAX_FILES = 12;
/** Maximum time for one file, in ms. A usual file takes about one. */
const TIME_LIMIT_MS = 500;

/** Source files by path. Paths have slashes. */
export interface SourceFiles {
  /** Resolves with undefined for a missing, unreadable, or too large file. */
  read(file: string): Promise<string | undefined>;
}

/** Returns the schema that the main file of a worker declares, or a module that it imports from its own folder. */
export async function declaredInput(files: SourceFiles, file: string): Promise<JsonSchema | undefined> {
  const text = await files.read(file);
  if (text === undefined) return undefined;
  if (!file.endsWith('.py')) {
    for (const one of [text, ...(await importedScripts(files, file, text))]) {
      const schema = limited(() => javascriptInput(one));
      if (schema) return schema;
    }
    return undefined;
  }
  const modules = new Map<string, PythonModule>();
  const entry = limited(() => pythonModule(text));
  if (!entry) return undefined;
  let left = MAX_FILES;
  /** Reads the imported modules of a module, and those that they import. Modules are found from the folder of the main file. */
  const readImports = async (module: PythonModule, folder: string): Promise<void> => {
    for (const name of new Set([...module.imports.values()].map((imported) => imported.module))) {
      if (modules.has(name)) continue;
      for (const candidate of pythonPaths(name, folder)) {
        if (left <= 0) return;
        left--;
        const found = await files.read(candidate);
        if (found === undefined) continue;
        const read = limited(() => pythonModule(found));
        if (!read) continue;
        modules.set(name, read);
        await readImports(read, path.posix.dirname(candidate));
        break;
      }
    }
  };
  await readImports(entry, path.posix.dirname(file));
  return limited(() => pythonInput(entry, (name) => modules.get(name)));
}

/** Returns what a file declares, or undefined if reading it takes too long. */
function limited<Read>(read: () => Read): Read | undefined {
  try {
    return withTimeLimit(TIME_LIMIT_MS, read);
  } catch (error) {
    if (error instanceof TimeLimitExceeded) return undefined;
    throw error;
  }
}

/** Names of packages that contain no worker. Looking for their files would use up the limit. */
const PACKAGES =
  /^(?:typing|enum|pydantic|dataclasses|os|sys|io|json|re|time|pathlib|collections|asyncio|torch|runpod|diffusers|transformers|numpy|PIL|fastapi)(?:\.|$)/;

function pythonPaths(module: string, folder: string): string[] {
  if (PACKAGES.test(module) || !/^\.*[\w.]+$/.test(module)) return [];
  const [dots = ''] = /^\.*/.exec(module) ?? [];
  const base = path.posix.join(folder, ...Array.from({ length: Math.max(0, dots.length - 1) }, () => '..'));
  const place = path.posix.join(base, ...module.slice(dots.length).split('.'));
  return [`${place}.py`, `${place}/__init__.py`];
}

const IMPORT = /\bfrom\s*['"](\.{1,2}\/[^'"\n]{1,200})['"]/g;

async function importedScripts(files: SourceFiles, file: string, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const [, name = ''] of [...text.matchAll(IMPORT)].slice(0, MAX_FILES)) {
    const imported = path.posix.join(path.posix.dirname(file), name);
    const read = await files.read(imported);
    // A file of TypeScript is imported by the name of its output.
    const source = read ?? (await files.read(imported.replace(/\.([cm]?)js$/, '.$1ts')));
    if (source !== undefined) found.push(source);
  }
  return found;
}

const SCRIPT = /\.(?:py|[cm]?[jt]s)$/;
/** Usual names of the main file, for a worker whose manifest has no command. */
const USUAL = ['handler.py', 'src/handler.py', 'rp_handler.py', 'src/rp_handler.py', 'main.py', 'src/main.py'];

/** Returns the paths that can be the main file of a worker, in its directory. @param command words of its command */
export function mainFiles(command: readonly string[] | undefined): readonly string[] {
  if (!command) return USUAL;
  const modules = command.flatMap((word, index) =>
    command[index - 1] === '-m' ? [`${word.replaceAll('.', '/')}.py`] : [],
  );
  const scripts = command.filter((word) => SCRIPT.test(word) && !path.posix.isAbsolute(word));
  return [...scripts, ...modules];
}
