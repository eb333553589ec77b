import path from 'node:path';
import type { DebugLanguage } from '../../contract/control/controlWorkers.ts';
import { isPython } from '../../contract/localSettings.ts';

/* Commands of workers under a debugger. */

/** A program with its arguments. */
export interface ProgramCall {
  readonly file: string;
  readonly args: readonly string[];
}

/**
 * Returns the language of a command. Any command that is not a Python interpreter can lead to a Node.js process, such as `npm start`, which
 * only the running processes show.
 */
export function languageOf({ file }: ProgramCall): DebugLanguage {
  return isPython(file) ? 'python' : 'node';
}

/** Accepts the separators of every operating system. */
const baseName = (file: string): string => path.win32.basename(file);

/** Options of Python that end the options: the module or the code follows. They can be the last letter of a group, such as `-um`. */
const TARGET = /^-([A-Za-z]*?)([mc])(.*)$/;
/** Options of Python with a value in the next argument. */
const WITH_VALUE = new Set(['-X', '-W', '--check-hash-based-pycs']);

/**
 * Returns the command of a Python worker under debugpy, which listens on the port of the loopback interface.
 *
 * @param debugpy directory of debugpy; default: the module of the interpreter
 */
export function underDebugpy({ file, args }: ProgramCall, port: number, debugpy: string | undefined): ProgramCall {
  const { options, target } = splitPython(args);
  const module = debugpy === undefined ? ['-m', 'debugpy'] : [debugpy];
  return { file, args: [...options, ...module, '--listen', `127.0.0.1:${port}`, ...target] };
}

/** Splits the arguments of Python into the options of the interpreter, and the program with its arguments. */
export function splitPython(args: readonly string[]): { options: readonly string[]; target: readonly string[] } {
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? '';
    if (!word.startsWith('-') || word === '-') return { options: args.slice(0, at), target: args.slice(at) };
    const found = word.startsWith('--') ? null : TARGET.exec(word);
    if (found && !/[XW]/.test(found[1] ?? '')) {
      const [, group = '', letter = '', value = ''] = found;
      const options = [...args.slice(0, at), ...(group === '' ? [] : [`-${group}`])];
      return { options, target: [`-${letter}`, ...(value === '' ? [] : [value]), ...args.slice(at + 1)] };
    }
    if (WITH_VALUE.has(word)) at++;
  }
  return { options: args, target: [] };
}

/** Variable with the options of Node.js. */
export const NODE_OPTIONS = 'NODE_OPTIONS';

const INSPECTOR_OPTION = /(?:^|\s)"?--(?:inspect|debug-port)/;

/**
 * Returns the options of Node.js for a process whose inspector opens on a free port of the loopback interface, once it is asked to. The
 * options of the endpoint for its own inspector take precedence. Until then, the option costs nothing.
 */
export function withInspectorPort(options = ''): string {
  if (INSPECTOR_OPTION.test(options)) return options;
  return [options, '--inspect-port=127.0.0.1:0'].filter((part) => part !== '').join(' ');
}

/** A process of a worker. */
export interface SeenProcess {
  readonly pid: number;
  readonly parent: number;
  /** Path or name of its program. */
  readonly program: string;
  readonly args: readonly string[];
}

const NODE = /^node(?:js)?[\d.]*(?:\.exe)?$/i;
/** Scripts that run other programs, without their extension. */
const LAUNCHERS = new Set(['npm', 'npm-cli', 'npx', 'npx-cli', 'yarn', 'pnpm', 'pnpx', 'corepack']);

/**
 * Returns the ID of the process that runs the worker's code with Node.js: the one that is nearest to the first process, and is not a package
 * manager. Undefined if there is none.
 *
 * @param root ID of the first process of the worker
 */
export function nodeProcess(root: number, processes: readonly SeenProcess[]): number | undefined {
  return nearest(root, processes, isNodeWorker)?.pid;
}

/** A process of a container. */
export interface SeenInContainer extends SeenProcess {
  /** Time of its start, in any unit. */
  readonly started: number;
}

/** ID of the first process of a container or pod. It adopts the orphans of the others. */
const FIRST = 1;

/**
 * Returns the process that runs the worker's code, and its language. The first process of a pod is that of its pause container, and has only
 * orphans below it, such as the adapter of debugpy. So the children of the first process, and the processes without a known parent, are
 * searched in the order of their start, each with its descendants.
 *
 * @param processes without those that were started beside the worker
 */
export function codeProcess(
  processes: readonly SeenInContainer[],
): { readonly pid: number; readonly language: DebugLanguage } | undefined {
  const pids = new Set(processes.map(({ pid }) => pid));
  const tops = processes.filter(({ parent }) => parent === FIRST || !pids.has(parent));
  for (const top of tops.toSorted((one, other) => one.started - other.started || one.pid - other.pid)) {
    const tree = top.pid === FIRST ? [top] : processes;
    const found = nearest(top.pid, tree, (process) => isNodeWorker(process) || isPython(process.program));
    if (found) return { pid: found.pid, language: isPython(found.program) ? 'python' : 'node' };
  }
  return undefined;
}

function nearest(
  root: number,
  processes: readonly SeenProcess[],
  isWanted: (process: SeenProcess) => boolean,
): SeenProcess | undefined {
  let level = processes.filter(({ pid }) => pid === root);
  const seen = new Set<number>();
  while (level.length > 0) {
    const found = level.find(isWanted);
    if (found) return found;
    for (const { pid } of level) seen.add(pid);
    const parents = new Set(level.map(({ pid }) => pid));
    level = processes.filter(({ pid, parent }) => parents.has(parent) && !seen.has(pid));
  }
  return undefined;
}

function isNodeWorker({ program, args }: SeenProcess): boolean {
  if (!NODE.test(baseName(program))) return false;
  // A package manager can replace its arguments with a title, such as `npm run start`.
  const words = args.flatMap((word) => word.split(' ')).slice(0, 3);
  return !words.some((word) => LAUNCHERS.has(baseName(word).replace(/\.[cm]?js$/, '')));
}

const LISTENING = /Debugger listening on ws:\/\/[^\s/]*:(\d{1,5})\//g;

/** Returns the port of the last inspector that Node.js announced in this output. Undefined if it announced none. */
export function inspectorPortIn(output: string): number | undefined {
  const port = [...output.matchAll(LISTENING)].at(-1)?.[1];
  return port === undefined ? undefined : Number(port);
}
