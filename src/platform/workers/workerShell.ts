import type { TerminalEnd, TerminalProblem, TerminalSize } from '../../contract/control/terminal.ts';
import { exitWords } from '../../contract/systemLines.ts';
import { ExecError, type ExecSession, type RunningWorker } from '../runtimes/runtime.ts';
import { type Clock, pause } from '../time/clock.ts';
import type { Worker } from './worker.ts';

/** First choice first. */
const SHELLS = ['bash', 'sh'];

/** Time in ms in which the end of a worker is noticed after that of its shell. */
const NOTICE_MS = 1_000;
/** Exit codes above this one mean that a signal has ended the shell. */
const LAST_OWN_CODE = 128;

/** Thrown if a shell cannot be opened. */
export class ShellError extends Error {
  readonly problem: TerminalProblem;

  constructor(problem: TerminalProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ShellError';
    this.problem = problem;
  }
}

export interface ShellRequest {
  /** Name of the caller, for the log of the worker. */
  readonly who: string;
  readonly size: TerminalSize;
  /** Waits in real time. */
  readonly clock: Clock;
}

export interface Shell extends Pick<ExecSession, 'stdin' | 'stdout' | 'resize'> {
  /** Resolves once the shell has ended. */
  readonly ended: Promise<TerminalEnd>;
}

/**
 * Opens a shell in the container of a worker, and writes its opening and its end to the worker's log. While it is open, scaling does not end
 * the worker. Once the signal is aborted, the shell and its programs are killed.
 *
 * @throws ShellError; the signal's reason
 */
export async function openShell(worker: Worker, request: ShellRequest, signal: AbortSignal): Promise<Shell> {
  const { process } = worker;
  if (!process || worker.ending) throw new ShellError('notRunning', 'the worker is not running');
  if (worker.frozen) throw new ShellError('notRunning', 'the worker is on standby');
  if (!process.exec) throw new ShellError('notContainer', 'the worker runs as a process, not in a container');
  const release = worker.use();
  try {
    const session = await startShell(process, request, signal);
    worker.note({ kind: 'terminalOpened', who: request.who });
    const ended = endOf(session, { worker, process, clock: request.clock }).finally(() => {
      worker.note({ kind: 'terminalClosed', who: request.who });
      release();
    });
    return { stdin: session.stdin, stdout: session.stdout, resize: (size) => session.resize(size), ended };
  } catch (error) {
    release();
    throw error;
  }
}

async function startShell(process: RunningWorker, { size }: ShellRequest, signal: AbortSignal): Promise<ExecSession> {
  for (const shell of SHELLS) {
    try {
      const session = await process.exec?.({ command: [shell], terminal: size }, signal);
      if (session) return session;
    } catch (error) {
      if (!(error instanceof ExecError)) throw error;
      if (error.problem !== 'noProgram') throw shellError(error);
    }
  }
  throw new ShellError('noShell', 'the image contains neither bash nor sh');
}

function shellError(error: ExecError): ShellError {
  const { problem, message } = error;
  const cause = { cause: error };
  if (problem === 'ended') return new ShellError('notRunning', 'the worker has ended', cause);
  return new ShellError(problem === 'noProgram' ? 'noShell' : problem, message, cause);
}

interface Place {
  readonly worker: Worker;
  readonly process: RunningWorker;
  readonly clock: Clock;
}

async function endOf({ exited }: ExecSession, { worker, process, clock }: Place): Promise<TerminalEnd> {
  const code = await exited;
  if (code !== undefined && code <= LAST_OWN_CODE) return { event: 'exited', code };
  // The end of a worker ends its shell, and is reported after it.
  const noticed = new AbortController();
  const exit = await Promise.race([process.exited, pause(clock, NOTICE_MS, noticed.signal)]);
  noticed.abort();
  if (exit) return { event: 'ended', reason: worker.endReason ?? `the worker ${exitWords(exit)}` };
  if (worker.ending) return { event: 'ended', reason: worker.endReason ?? 'the worker ends' };
  return code === undefined ? { event: 'lost' } : { event: 'exited', code };
}
