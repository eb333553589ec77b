import * as z from 'zod';
import { Moment } from './recordFields.ts';
import { NODE_OPTIONS } from './debugCommand.ts';

/* The time that the modules of a worker took to load, from the lines that Python and a hook for Node.js write to stderr. */

/** A module that a worker loaded. Times are in ms since the epoch. */
const ImportedModule = z.object({
  name: z.string(),
  /** Number of modules that were loading when this one was imported. */
  depth: z.int().min(0),
  from: Moment,
  to: Moment,
  /** Time in ms without the modules that it imported. */
  selfMs: z.number().min(0),
});
export type ImportedModule = z.infer<typeof ImportedModule>;

/** The modules of a worker that took longest, in order of their starts. */
export const MeasuredImports = z.object({
  modules: z.array(ImportedModule),
  /** Number of the other modules, and the time in ms that they took together. */
  others: z.object({ count: z.int().min(0), ms: z.number().min(0) }),
});
export type MeasuredImports = z.infer<typeof MeasuredImports>;

const MARK = 'import time:';
/** Maximum length of the examined end of a line, in characters. */
const LONGEST = 1_000;
const MAX_NAME = 200;
const FIELDS = /^import time: {0,20}(\d{1,15}) \| {0,20}(\d{1,15}) \| ( {0,400})(\S.*)$/;
const HEADER = /^import time: self \[us\] \| cumulative \| imported package$/;

/** Shortest time of a module that is listed, in ms. */
const LEAST_MS = 1;
const MAX_MODULES = 100;
/** Number of modules from which the short ones are summed. */
const MAX_KEPT = 4 * MAX_MODULES;

interface Kept {
  readonly name: string;
  readonly depth: number;
  readonly at: number;
  readonly ms: number;
  readonly selfMs: number;
}

/** Collects the modules that a worker loads. Its memory is bounded, and a line takes linear time. */
export class ImportTimes {
  /** In the order in which they were loaded: a module follows the modules that it imported. */
  #kept: Kept[] = [];
  readonly #others = { count: 0, ms: 0 };

  /**
   * Reads a line of stderr. Returns what belongs to the log of the worker, or undefined if that is nothing: a program can write a text
   * without a line break before the line of a module.
   *
   * @param at time of the line in ms since the epoch
   */
  read(line: string, at: number): string | undefined {
    const start = line.lastIndexOf(MARK);
    if (start < 0 || line.length - start > LONGEST) return line;
    const text = line.slice(start);
    const fields = FIELDS.exec(text);
    if (!fields && !HEADER.test(text)) return line;
    if (fields) {
      const [, self = '', total = '', indent = '', name = ''] = fields;
      const [selfMs, ms] = [Number(self) / 1_000, Number(total) / 1_000];
      this.#add({ name: name.trimEnd().slice(0, MAX_NAME), depth: Math.floor(indent.length / 2), at, ms, selfMs });
    }
    return start === 0 ? undefined : line.slice(0, start);
  }

  /** Returns the modules so far. @param until latest end of a module in ms since the epoch, because an engine can deliver lines late */
  measured(until = Infinity): MeasuredImports {
    const kept = longest(this.#kept);
    const dropped = this.#kept.filter((module) => !kept.has(module));
    const others = dropped.reduce(plus, this.#others);
    return {
      modules: placed(
        this.#kept.filter((module) => kept.has(module)),
        until,
      ),
      others,
    };
  }

  #add(module: Kept): void {
    if (module.ms < LEAST_MS) this.#leaveOut([module]);
    else this.#kept.push(module);
    if (this.#kept.length <= MAX_KEPT) return;
    const kept = longest(this.#kept);
    this.#leaveOut(this.#kept.filter((each) => !kept.has(each)));
    this.#kept = this.#kept.filter((each) => kept.has(each));
  }

  #leaveOut(modules: readonly Kept[]): void {
    Object.assign(this.#others, modules.reduce(plus, this.#others));
  }
}

const plus = ({ count, ms }: { count: number; ms: number }, { selfMs }: Kept) => ({
  count: count + 1,
  ms: ms + selfMs,
});

/** Returns the modules that took longest. A module takes at least as long as those that it imported, so their importers are among them. */
function longest(modules: readonly Kept[]): ReadonlySet<Kept> {
  return new Set(modules.toSorted((one, other) => other.ms - one.ms || one.depth - other.depth).slice(0, MAX_MODULES));
}

/**
 * Returns modules with their times. A line arrives after its module was loaded, maybe together with later lines. So a module ends at the
 * latest when its importer ends, and when the next module starts.
 */
function placed(kept: readonly Kept[], until: number): ImportedModule[] {
  /** Latest end of the preceding module, by depth. */
  const ends: number[] = [until];
  const modules: ImportedModule[] = [];
  for (const { name, depth, at, ms, selfMs } of kept.toReversed()) {
    const to = Math.min(at, ends[depth] ?? at);
    const from = Math.max(to - ms, 0);
    modules.push({ name, depth, from: Math.round(from), to: Math.round(to), selfMs });
    ends.length = Math.min(ends.length, depth);
    ends[depth] = from;
    ends[depth + 1] = to;
  }
  return modules.reverse().sort((one, other) => one.from - other.from || one.depth - other.depth);
}

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
