import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { descendantsOf, openInspector } from '../../../machine/processTree.ts';
import { inspectorPortIn, languageOf, nodeProcess, type ProgramCall } from '../../domain/debugCommand.ts';
import type { Clock } from '../../time/clock.ts';
import { DebuggerError, type WorkerDebugger } from '../runtime.ts';
import { LOOPBACK } from './freePorts.ts';

/** Time for an inspector to open, in ms. */
const OPEN_MS = 15_000;
/** Time for Python to report whether it has debugpy, in ms. */
const CHECK_MS = 20_000;

/** Process of a worker, as it was started. */
interface DebuggedProcess {
  readonly pid: number;
  /** The worker's command, without debugger. */
  readonly command: ProgramCall;
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  /** Port of debugpy. Undefined if the process was started without it. */
  readonly debugpyPort: number | undefined;
  readonly inspector: InspectorAnnouncements;
  readonly clock: Clock;
}

/** Returns the debugger of a process. Node.js opens its inspector at any time, and Python must be started under debugpy. */
export function processDebugger(of: DebuggedProcess): WorkerDebugger {
  const language = languageOf(of.command);
  return language === 'python' ? pythonDebugger(of) : nodeDebugger(of);
}

function pythonDebugger({ command, directory, env, debugpyPort }: DebuggedProcess): WorkerDebugger {
  return {
    opensEarly: debugpyPort === undefined,
    open: async (debugpy) => {
      // debugpy listens before it runs the worker. A connection to test this would end a debugpy that is starting.
      if (debugpyPort !== undefined) return { language: 'python', directory, host: LOOPBACK, port: debugpyPort };
      if (debugpy === undefined) await checkDebugpy(command, directory, env);
      return { restart: { debugpy } };
    },
  };
}

/** @throws DebuggerError if the Python of the worker has no debugpy */
async function checkDebugpy({ file }: ProgramCall, directory: string, env: DebuggedProcess['env']): Promise<void> {
  try {
    await promisify(execFile)(file, ['-c', 'import debugpy'], { cwd: directory, env, timeout: CHECK_MS });
  } catch {
    throw new DebuggerError('debugpyMissing', `${file} has no debugpy; install it: ${file} -m pip install debugpy`);
  }
}

function nodeDebugger({ pid, command, directory, inspector, clock }: DebuggedProcess): WorkerDebugger {
  return {
    opensEarly: false,
    open: async (_, signal) => {
      if (inspector.port === undefined) {
        const found = nodeProcess(pid, await descendantsOf(pid, command));
        if (found === undefined || !(await openInspector(found))) {
          throw new DebuggerError('unknownProgram', `${command.file} runs neither Node.js nor Python`);
        }
      }
      return { language: 'node', directory, host: LOOPBACK, port: await inspector.announced(clock, signal) };
    },
  };
}

/** Announcements of inspectors in the output of a worker. An inspector stays open until its process ends. */
export class InspectorAnnouncements {
  /** Port of the newest inspector. */
  port: number | undefined;
  /** End of the output, which can contain the begin of an announcement. */
  #rest = '';
  #onPort: ((port: number) => void) | undefined;

  /** Reads a chunk of stderr. */
  read(chunk: Uint8Array): void {
    const text = this.#rest + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1');
    this.#rest = text.slice(text.lastIndexOf('\n') + 1).slice(-LONGEST_ANNOUNCEMENT);
    const port = text.includes(ANNOUNCEMENT) ? inspectorPortIn(text) : undefined;
    if (port === undefined) return;
    this.port = port;
    this.#onPort?.(port);
  }

  /** Resolves with the port once it is announced. @throws DebuggerError after a time limit; the signal's reason */
  announced(clock: Clock, signal: AbortSignal): Promise<number> {
    if (this.port !== undefined) return Promise.resolve(this.port);
    return new Promise((resolve, reject) => {
      const cancel = clock.after(OPEN_MS, () => reject(notListening()));
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      this.#onPort = resolve;
      signal.addEventListener('abort', cancel, { once: true });
    });
  }
}

const ANNOUNCEMENT = 'Debugger listening on ';
/** Maximum length of an announcement, in characters. */
const LONGEST_ANNOUNCEMENT = 200;

const notListening = (): DebuggerError =>
  new DebuggerError('notListening', `the debugger did not open within ${OPEN_MS / 1000} s`);
