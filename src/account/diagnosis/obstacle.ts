import { stat } from 'node:fs/promises';
import * as l10n from '@vscode/l10n';
import type { Clock } from '../../client/clock.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { PROCESS_IMAGE_PREFIX } from '../../contract/processImage.ts';
import type { LocalPlatformStore } from '../localPlatform/localPlatformStore.ts';
import type { Obstacle } from './diagnosis.ts';
import { controlOf } from '../localPlatform/platformControl.ts';

export interface Machine {
  readonly connections: { readonly profile: { readonly kind: 'local' | 'hosted' } | undefined };
  readonly localPlatform: Pick<LocalPlatformStore, 'state'>;
  readonly clock: Clock;
}

/** Time to wait for an engine, in ms. Without an answer, nothing is known. */
const PATIENCE_MS = 3_000;

/**
 * Returns the reason why the local platform cannot start workers of an endpoint: it has no engine for the image, or the directory of the
 * process is missing. Undefined if no reason is known, and for other platforms. Never rejects.
 */
export async function readObstacle(
  machine: Machine,
  { image }: Pick<Endpoint, 'image'>,
  signal?: AbortSignal,
): Promise<Obstacle | undefined> {
  const { connections, localPlatform } = machine;
  if (connections.profile?.kind !== 'local' || localPlatform.state.kind !== 'running' || !image) return undefined;
  if (image.startsWith(PROCESS_IMAGE_PREFIX)) return directoryObstacle(image.slice(PROCESS_IMAGE_PREFIX.length));
  try {
    const { control } = await controlOf(machine);
    const { runtime, engine } = await control.getEngine({}, { signal, timeout: PATIENCE_MS, retries: 0 });
    if (runtime === 'process' || !engine) return { problem: 'engineMissing', reason: '' };
    return engine.reachable ? undefined : { problem: 'engineUnreachable', reason: engine.problem ?? '' };
  } catch {
    return undefined;
  }
}

async function directoryObstacle(directory: string): Promise<Obstacle | undefined> {
  const found = await stat(directory).catch((error: unknown) => (error as NodeJS.ErrnoException).code);
  if (found !== 'ENOENT' && found !== 'ENOTDIR') return undefined;
  return { problem: 'directoryMissing', reason: l10n.t`Directory: ${directory}` };
}
