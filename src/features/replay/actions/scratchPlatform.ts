import path from 'node:path';
import { startPrivatePlatform } from '../../../account/localPlatform/privatePlatform.ts';
import type { Client } from '../../../client/client.ts';
import type { Clock } from '../../../client/clock.ts';
import { createControlClient, type ControlClient } from '../../../client/controlClient.ts';
import { createTemporaryFolder } from '../../../machine/folderLock.ts';
import { PlatformStartError } from '../../../machine/platformLaunch.ts';
import { ReplayError } from './replayError.ts';

/** How the platform of a replay is started. */
export interface ScratchLaunch {
  /** Path of the platform's program. */
  readonly script: string;
  /** Flags of the engine, as those of the user's own platform. */
  readonly flags: readonly string[];
  readonly clock?: Clock;
}

/** A platform of its own for one replay, which keeps everything in memory except the files of volumes. */
export interface ScratchPlatform {
  readonly client: Client;
  readonly control: ControlClient;
  /** Aborted if the platform ends before it is closed. The reason is its explanation. */
  readonly lost: AbortSignal;
  /** Returns the directory of a volume. */
  readonly volumeDirectory: (volumeId: string) => string;
  /** Stops the platform and its workers, and deletes the files of its volumes. */
  close(): Promise<void>;
}

/** Beginning of the names of directories of replays. */
export const SCRATCH_PREFIX = 'cloud-compute-replay-';

/** Starts a platform for a replay. @throws ReplayError `platform`; the reason of the signal */
export async function openScratch(
  { script, flags, clock }: ScratchLaunch,
  signal: AbortSignal,
): Promise<ScratchPlatform> {
  const directory = await createTemporaryFolder(SCRATCH_PREFIX);
  const volumes = path.join(directory.path, 'volumes');
  const launch = { script, flags: ['--volumes-dir', volumes, ...flags], ...(clock && { clock }) };
  const platform = await startPrivatePlatform(launch, signal).catch(async (error: unknown) => {
    await directory.remove();
    throw error instanceof PlatformStartError ? new ReplayError('platform', error.message) : error;
  });
  const lost = new AbortController();
  void platform.ended.then((reason) => lost.abort(new ReplayError('platform', reason ?? '')));
  return {
    client: platform.client,
    control: createControlClient(platform.options),
    lost: lost.signal,
    volumeDirectory: (volumeId) => path.join(volumes, volumeId),
    close: async () => {
      await platform.stop();
      await directory.remove();
    },
  };
}
