import { availableParallelism } from 'node:os';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import type { SimulatedSettings, SimulationRequest, SimulationResult } from '../../contract/launch/simulation.ts';
import { prepareLoad, type PreparedLoad } from './preparedLoad.ts';
import { simulate } from './simulation.ts';

/** The entry point is in the same folder as this file in the sources, and is this file in the bundle. */
const ENTRY = import.meta.url.endsWith('.ts')
  ? new URL('./main.ts', import.meta.url)
  : new URL('./simulation.js', import.meta.url);

/**
 * Simulates all settings of a request in as many threads as there are processors. Calls back with each result as soon as it is known, and
 * waits for the callback before the thread goes on.
 *
 * @throws the error of a thread
 */
export async function simulateAll(
  { load, settings }: SimulationRequest,
  onResult: (result: SimulationResult) => Promise<void>,
): Promise<void> {
  const left = settings.values();
  const prepared = prepareLoad(load);
  const count = Math.min(availableParallelism(), settings.length);
  const threads = Array.from({ length: count }, () => new Worker(ENTRY, { workerData: prepared }));
  try {
    await Promise.all(threads.map((thread) => useThread(thread, left, onResult)));
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()));
  }
}

function useThread(
  thread: Worker,
  left: Iterator<SimulatedSettings>,
  onResult: (result: SimulationResult) => Promise<void>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const next = (): void => {
      const { value, done } = left.next();
      if (done) resolve();
      else thread.postMessage(value);
    };
    thread.on('message', (result: SimulationResult) => void onResult(result).then(next, reject));
    thread.on('error', reject);
    thread.on('exit', () => reject(new Error('a thread ended')));
    next();
  });
}

/** Simulates the settings that the main thread sends, one after another. */
export function serveThread(): void {
  const load = workerData as PreparedLoad;
  parentPort?.on('message', (settings: SimulatedSettings) => parentPort?.postMessage(simulate(load, settings)));
}
