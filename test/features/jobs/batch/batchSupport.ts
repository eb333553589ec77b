import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { systemClock } from '../../../../src/client/clock.ts';
import { createClient, type Client } from '../../../../src/client/client.ts';
import type { Connection } from '../../../../src/client/connection.ts';
import type { BatchPlatform } from '../../../../src/features/jobs/batch/actions/platformGate.ts';
import { findSource } from '../../../../src/features/jobs/batch/actions/readSource.ts';
import { prepareBatch, startBatch } from '../../../../src/features/jobs/batch/actions/prepareBatch.ts';
import { BatchRunner } from '../../../../src/features/jobs/batch/actions/runBatch.ts';
import { json } from '../../../client/scriptedServer.ts';
import { afterwards, dataDirectory } from '../../../platform/support.ts';

/** Platform of a batch whose client a test replaces. */
export function batchPlatform(first?: Client) {
  let client = first;
  const listeners = new Set<() => unknown>();
  const platform: BatchPlatform = {
    client: () => client,
    onDidChange: (listener) => {
      listeners.add(listener);
      return { dispose: () => listeners.delete(listener) };
    },
  };
  const use = (next: Client | undefined): void => {
    client = next;
    for (const listener of listeners) listener();
  };
  return { platform, use };
}

export function clientTo(connection: Connection, isLocal = true): Client {
  return createClient({ connection, fetch: globalThis.fetch, honorsIdempotencyKeys: isLocal });
}

/** Creates a batch from a file with this content. Resolves with its folder. */
export async function createBatch(endpointId: string, name: string, content: string): Promise<string> {
  const root = await dataDirectory();
  const file = path.join(root, name);
  await writeFile(file, content);
  const source = await findSource(file);
  if (!source) throw new Error(`${name} is not a source`);
  const prepared = await prepareBatch(path.join(root, 'batches'), {
    source,
    member: 'image',
    signal: new AbortController().signal,
  });
  const target = { connectionId: 'local', endpointId, endpointName: 'test', pricePerHour: 3.6, member: 'image' };
  await startBatch(prepared, target, systemClock);
  return prepared.folder;
}

export interface RunnerChanges {
  readonly maxInFlight?: number;
  readonly onChange?: (runner: BatchRunner) => void;
}

/** Opens a runner, which is dropped after the test. */
export async function openRunner(
  folder: string,
  platform: BatchPlatform,
  { maxInFlight = 20, onChange }: RunnerChanges = {},
) {
  const runner: BatchRunner = await BatchRunner.open({
    ...{ folder, platform, clock: systemClock, maxInFlight: () => maxInFlight },
    onChange: () => onChange?.(runner),
  });
  afterwards(() => runner.drop());
  return runner;
}

/** Responds with JSON, as the last statement of a script. */
export function reply(...answer: Parameters<typeof json>): Promise<void> {
  json(...answer);
  return Promise.resolve();
}
