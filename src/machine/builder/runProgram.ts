import { spawn } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import { endTree } from '../processTable.ts';

/* Programs of the user, such as a builder, which end with all their processes when they are canceled. */

export interface ProgramRun {
  readonly file: string;
  readonly args: readonly string[];
  /** The whole environment. */
  readonly environment: NodeJS.ProcessEnv;
  readonly directory?: string | undefined;
  /** Called with each line of the output and of the errors, without its end. */
  readonly onLine: (line: string) => void;
  /** Called with each line of the errors. Default: `onLine`. */
  readonly onErrorLine?: ((line: string) => void) | undefined;
  readonly signal: AbortSignal;
}

export type ProgramEnd =
  | { readonly kind: 'exited'; readonly code: number }
  /** The signal of the run ended it, or another process did. */
  | { readonly kind: 'ended' }
  /** There is no such program, or it cannot be started. */
  | { readonly kind: 'missing'; readonly reason: string };

/** Time in which a canceled program ends its work, in ms. After it, its processes are killed. */
const GRACE_MS = 5_000;

/** Runs a program to its end, without input. Never throws. */
export async function runProgram(run: ProgramRun): Promise<ProgramEnd> {
  const { file, args, environment, directory, onLine, onErrorLine = onLine, signal } = run;
  if (signal.aborted) return { kind: 'ended' };
  const isWindows = process.platform === 'win32';
  const child = spawn(file, args, {
    ...(directory !== undefined && { cwd: directory }),
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    // The group ends with the program: a builder starts programs for its credentials and its connection.
    detached: !isWindows,
    windowsHide: true,
  });
  followLines(child.stdout, onLine);
  followLines(child.stderr, onErrorLine);
  const { promise, resolve } = Promise.withResolvers<ProgramEnd>();
  child.once('error', ({ message }) => resolve({ kind: 'missing', reason: message }));
  child.once('close', (code) => resolve(code === null ? { kind: 'ended' } : { kind: 'exited', code }));
  const { pid } = child;
  let killing: NodeJS.Timeout | undefined;
  const end = (): void => {
    if (pid === undefined) return;
    if (isWindows) {
      endTree(pid);
      return;
    }
    signalGroup(pid, 'SIGTERM');
    killing = setTimeout(() => signalGroup(pid, 'SIGKILL'), GRACE_MS);
  };
  signal.addEventListener('abort', end, { once: true });
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', end);
    if (killing && pid !== undefined) {
      clearTimeout(killing);
      signalGroup(pid, 'SIGKILL');
    }
  }
}

function signalGroup(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(-pid, name);
  } catch {
    // All its processes have ended.
  }
}

/** Longest line that is passed on as one, in characters. */
const LONGEST_LINE = 1_048_576;

function followLines(stream: NodeJS.ReadableStream, onLine: (line: string) => void): void {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  stream.on('data', (chunk: Buffer) => {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line.replace(/\r$/, ''));
    if (rest.length > LONGEST_LINE) {
      onLine(rest);
      rest = '';
    }
  });
  stream.on('end', () => {
    rest += decoder.end();
    if (rest !== '') onLine(rest);
  });
}
