import { NODE_OPTIONS } from './debugCommand.ts';

/* Measures the modules that a worker loads. Both languages write a line to stderr for each module, which `ImportTimes` reads. */

/** Makes Python write the time of each import to stderr. */
const PYTHON_VARIABLE = 'PYTHONPROFILEIMPORTTIME';

/** Returns the variables of a worker whose imports are measured. Its language is not known yet. @param options the worker's NODE_OPTIONS */
export function importProfile(options = ''): Readonly<Record<string, string>> {
  const measured = [options, `--import=${moduleUrl(NODE_PROFILE)}`].filter((part) => part !== '').join(' ');
  return { [PYTHON_VARIABLE]: '1', [NODE_OPTIONS]: measured };
}

/** Returns a URL without characters that NODE_OPTIONS would need to escape. It leaves no file behind, and works in any container. */
const moduleUrl = (code: string): string => `data:text/javascript,${encodeURIComponent(code).replaceAll("'", '%27')}`;

/**
 * Runs in the thread for hooks of Node.js 20 and later. Puts a call at the start and the end of each ECMAScript module, because no hook
 * measures the evaluation of a module. The lines of the module keep their numbers.
 */
const NODE_HOOKS = `
const importers = new Map();
const depths = new Map();
export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  const { parentURL } = context;
  if (!depths.has(found.url)) {
    importers.set(found.url, parentURL ?? null);
    depths.set(found.url, parentURL === undefined ? 0 : (depths.get(parentURL) ?? 0) + 1);
  }
  return found;
}
export async function load(url, context, next) {
  const loaded = await next(url, context);
  if (!loaded.format?.startsWith('module') || loaded.source == null || !url.startsWith('file:')) return loaded;
  const text = typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source);
  const first = text.startsWith('#!') ? text.indexOf('\\n') + 1 : 0;
  const to = 'globalThis[Symbol.for("cloud-compute.imports")]';
  const depth = depths.get(url) ?? 0;
  const place = JSON.stringify([url, importers.get(url) ?? null, depth]).slice(1, -1);
  const begin = to + '.begin(' + JSON.stringify(url) + ');';
  return { ...loaded, source: text.slice(0, first) + begin + text.slice(first) + '\\n;' + to + '.end(' + place + ');' };
}`;

/**
 * Measures each CommonJS and ECMAScript module of a process of Node.js, and writes a line for it like Python's. The program itself has no
 * line, as in Python. A CommonJS module that an ECMAScript module imports counts as an import of the program.
 */
const NODE_PROFILE = `
import { writeSync } from 'node:fs';
import Module, { register } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
const open = [];
const nameOf = (file) => {
  const parts = file.split(/[\\\\/]node_modules[\\\\/]/);
  return (parts.length > 1 ? parts.at(-1) : path.relative(process.cwd(), file)).replaceAll(/[\\r\\n]/g, ' ');
};
const inMicroseconds = (ms) => Math.max(Math.round(ms * 1000), 0);
const report = (file, depth, self, total) => {
  const line = 'import time: ' + inMicroseconds(self) + ' | ' + inMicroseconds(total) + ' | ' + '  '.repeat(depth) + nameOf(file);
  try {
    writeSync(2, line + '\\n');
  } catch {}
};
const load = Module.prototype.load;
Module.prototype.load = function (filename) {
  const depth = this.id === '.' ? -1 : (open.at(-1)?.depth ?? -1) + 1;
  const frame = { depth, from: performance.now(), inner: 0 };
  open.push(frame);
  try {
    return load.call(this, filename);
  } finally {
    open.pop();
    const total = performance.now() - frame.from;
    const outer = open.at(-1);
    if (outer) outer.inner += total;
    if (depth >= 0) report(filename, depth, total - frame.inner, total);
  }
};
const running = new Map();
const imported = new Map();
globalThis[Symbol.for('cloud-compute.imports')] = {
  begin: (url) => void running.set(url, { from: performance.now(), inner: 0 }),
  end: (url, importer, depth) => {
    const { from, inner } = running.get(url);
    running.delete(url);
    const total = performance.now() - from;
    const whole = total + (imported.get(url) ?? 0);
    // The time of an importer that is running contains that of the module.
    const outer = running.get(importer);
    if (outer) outer.inner += whole;
    else if (importer !== null) imported.set(importer, (imported.get(importer) ?? 0) + whole);
    if (depth > 0) report(fileURLToPath(url), depth - 1, total - inner, whole);
  },
};
register(${JSON.stringify(moduleUrl(NODE_HOOKS))});
`;
