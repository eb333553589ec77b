import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { SimulationEvent, type SimulationRequest, type SimulationResult } from '../contract/launch/simulation.ts';

export interface SimulationRun {
  /** Path of the simulation's program. */
  readonly script: string;
  readonly request: SimulationRequest;
  /** Called with each result. */
  readonly onResult: (result: SimulationResult) => void;
  /** Kills the process. */
  readonly signal: AbortSignal;
}

/**
 * Why a simulation ended early.
 *
 * - `canceled`: the signal was aborted.
 * - `notStarted`: the process could not be started.
 * - `died`: the process ended early. `detail` is its last line of stderr, or its exit code.
 * - `invalid`: the process printed something else than events.
 */
export type SimulationFailure =
  | { readonly kind: 'canceled' }
  | { readonly kind: 'notStarted'; readonly detail: string }
  | { readonly kind: 'died'; readonly detail: string }
  | { readonly kind: 'invalid'; readonly detail: string };

/** How a simulation ended. `done`: all settings were simulated. */
export type SimulationEnd = { readonly kind: 'done' } | SimulationFailure;

/** Longest explanation, in UTF-16 code units. */
const LONGEST_DETAIL = 300;

/** Runs a simulation as a process on the Node.js of this one. Never rejects. Resolves once the process has exited. */
export function runSimulation({ script, request, onResult, signal }: SimulationRun): Promise<SimulationEnd> {
  if (signal.aborted) return Promise.resolve({ kind: 'canceled' });
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
    stdio: 'pipe',
    windowsHide: true,
  });
  return new Promise((resolve) => {
    let isComplete = false;
    let problem: SimulationEnd | undefined;
    let lastLine = '';
    let errorLine: string | undefined;
    const kill = () => void child.kill('SIGKILL');
    const fail = (end: SimulationEnd) => {
      problem ??= end;
      kill();
    };
    const settle = (end: SimulationEnd) => {
      signal.removeEventListener('abort', kill);
      resolve(signal.aborted ? { kind: 'canceled' } : end);
    };
    signal.addEventListener('abort', kill, { once: true });
    createInterface({ input: child.stderr }).on('line', (line) => {
      const text = line.trim().slice(0, LONGEST_DETAIL);
      if (text !== '') lastLine = text;
      // An uncaught error has its stack after it.
      if (/^\w*Error\b/.test(text)) errorLine ??= text;
    });
    const lines = createInterface({ input: child.stdout });
    const read = new Promise<void>((done) => void lines.once('close', done));
    lines.on('line', (line) => {
      if (problem || signal.aborted) return;
      const event = eventIn(line);
      if (!event) fail({ kind: 'invalid', detail: line.slice(0, LONGEST_DETAIL) });
      else if (event.type === 'end') isComplete = true;
      else onResult(event.result);
    });
    child.once('error', (error) => settle({ kind: 'notStarted', detail: error.message }));
    child.once('close', (code, by) => {
      // The last lines of a closed pipe can still be unread.
      void read.then(() =>
        settle(
          problem ??
            (isComplete
              ? { kind: 'done' }
              : {
                  kind: 'died',
                  detail: (errorLine ?? lastLine) || (by ?? `it exited with code ${code ?? 'unknown'}`),
                }),
        ),
      );
    });
    // A process that dies early closes its input.
    child.stdin.on('error', () => undefined);
    child.stdin.end(JSON.stringify(request));
  });
}

function eventIn(line: string): SimulationEvent | undefined {
  try {
    return SimulationEvent.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
