import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startPrivatePlatform } from '../../../account/localPlatform/privatePlatform.ts';
import type { Client } from '../../../client/client.ts';
import type { Clock } from '../../../client/clock.ts';
import { createControlClient, type ControlClient } from '../../../client/controlClient.ts';
import { isLocked, lockFolder, removeFolder } from '../../../machine/folderLock.ts';
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
  await removeLeftovers();
  signal.throwIfAborted();
  const directory = await mkdtemp(path.join(tmpdir(), SCRATCH_PREFIX));
  const unlock = await lockFolder(directory);
  const volumes = path.join(directory, 'volumes');
  const remove = async (): Promise<void> => {
    // Files of a container can belong to another user.
    await rm(directory, { recursive: true, force: true }).catch(() => undefined);
    await unlock?.();
  };
  const launch = { script, flags: ['--volumes-dir', volumes, ...flags], ...(clock && { clock }) };
  const platform = await startPrivatePlatform(launch, signal).catch(async (error: unknown) => {
    await remove();
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
      await remove();
    },
  };
}

/** Deletes the directories of replays whose process was killed. */
async function removeLeftovers(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  const old = names.filter((name) => name.startsWith(SCRATCH_PREFIX)).map((name) => path.join(tmpdir(), name));
  for (const folder of old) {
    // A folder without a lock is being created.
    const wasLocked = await stat(path.join(folder, 'lock')).then(
      () => true,
      () => false,
    );
    if (wasLocked && !(await isLocked(folder).catch(() => true))) await removeFolder(folder).catch(() => false);
  }
}
