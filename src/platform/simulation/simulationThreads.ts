import { availableParallelism } from 'node:os';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import type { SimulationRequest, SimulationResult } from '../../contract/launch/simulation.ts';
import { prepareLoad, type PreparedLoad } from './preparedLoad.ts';
import { groupSettings, simulateGroup, type SettingsGroup } from './simulation.ts';

/** The entry point is in the same folder as this file in the sources, and is this file in the bundle. */
const ENTRY = import.meta.url.endsWith('.ts')
  ? new URL('./main.ts', import.meta.url)
  : new URL('./simulation.js', import.meta.url);

/** What a thread sends: a result of its group, or undefined after the last one. */
type ThreadMessage = SimulationResult | undefined;

/**
 * Simulates all settings of a request in as many threads as there are processors. Calls back with each result as soon as it is known, and
 * waits for the callbacks before the thread continues with other settings.
 *
 * @throws the error of a thread
 */
export async function simulateAll({ load, settings }: SimulationRequest, onResult: OnResult): Promise<void> {
  const groups = groupSettings(settings);
  const left = groups.values();
  const workerData = prepareLoad(load);
  const count = Math.min(availableParallelism(), groups.length);
  const threads = Array.from({ length: count }, () => new Worker(ENTRY, { workerData }));
  try {
    await Promise.all(threads.map((thread) => useThread(thread, left, onResult)));
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()));
  }
}

type OnResult = (result: SimulationResult) => Promise<void>;

function useThread(thread: Worker, left: Iterator<SettingsGroup>, onResult: OnResult): Promise<void> {
  return new Promise((resolve, reject) => {
    let reported: Promise<unknown> = Promise.resolve();
    const next = (): void => {
      const group = left.next();
      if (group.done) resolve();
      else thread.postMessage(group.value);
    };
    thread.on('message', (message: ThreadMessage) => {
      reported = message ? Promise.all([reported, onResult(message)]) : reported.then(next);
      reported.catch(reject);
    });
    thread.on('error', reject);
    thread.on('exit', () => reject(new Error('a thread ended')));
    next();
  });
}

/** Simulates the groups of settings that the main thread sends, one after another. */
export function serveThread(): void {
  const load = workerData as PreparedLoad;
  parentPort?.on('message', (group: SettingsGroup) => {
    for (const result of simulateGroup(load, group)) parentPort?.postMessage(result satisfies ThreadMessage);
    parentPort?.postMessage(undefined satisfies ThreadMessage);
  });
}
