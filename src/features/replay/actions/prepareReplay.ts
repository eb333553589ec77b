import { stat } from 'node:fs/promises';
import path from 'node:path';
import { DATA_DIRECTORY } from '../../../contract/launch/localPlatform.ts';
import {
  directoryOfImage,
  imageOfReplay,
  planReplay,
  type PlannedVolume,
  type ReplayPlan,
} from '../model/replayPlan.ts';
import { volumesOf } from '../model/workerSettings.ts';
import { measureDirectory } from './copyVolume.ts';
import { readEnvironment, type EnvironmentSources, type ReadEnvironment } from './readEnvironment.ts';

export interface ReplaySources extends EnvironmentSources {
  /** Version of the newest release of the endpoint. Undefined if it is unknown. */
  readonly release?: number | undefined;
  /** Data directory of the local platform whose volumes are copied. Undefined: there are none. */
  readonly dataDirectory?: string | undefined;
  /** Directory that is copied as the volume, instead of one of the local platform. `empty`: the worker has an empty volume. */
  readonly volume?: { readonly directory: string } | 'empty' | undefined;
}

export interface PreparedReplay {
  readonly plan: ReplayPlan;
  readonly values: ReadEnvironment;
}

/** Reads everything that a replay needs, and plans it. Changes nothing. @throws RecordingError; the reason of the signal */
export async function prepareReplay(sources: ReplaySources, signal: AbortSignal): Promise<PreparedReplay> {
  const { subject, settings, source, release } = sources;
  const { recorded } = subject;
  const values = await readEnvironment(sources);
  const directory = directoryOfImage(imageOfReplay({ recorded, settings }));
  const directoryExists = directory === undefined || (await isDirectory(directory));
  const volume = await plannedVolume(sources, signal);
  const { missingValues, missingSecrets } = values;
  const facts = { recorded, settings, source, directoryExists, missingValues, missingSecrets, release, volume };
  return { plan: planReplay(facts), values };
}

async function plannedVolume(
  { settings, dataDirectory, volume: given }: ReplaySources,
  signal: AbortSignal,
): Promise<PlannedVolume | undefined> {
  const [mounted] = volumesOf(settings);
  if (!mounted) return undefined;
  const { id } = mounted;
  if (given === 'empty') return { ...mounted, directory: undefined, bytes: undefined };
  const known = dataDirectory !== undefined && /^\w+$/.test(id);
  const directory = given?.directory ?? (known ? path.join(dataDirectory, DATA_DIRECTORY.volumes, id) : undefined);
  if (directory === undefined || (!given && !(await isDirectory(directory))))
    return { ...mounted, directory: undefined, isElsewhere: true, bytes: undefined };
  // A directory that cannot be read is reported when it is copied.
  const size = await measureDirectory(directory, signal).catch(() => undefined);
  signal.throwIfAborted();
  return { ...mounted, directory, bytes: size?.bytes };
}

async function isDirectory(directory: string): Promise<boolean> {
  return (await stat(directory).catch(() => undefined))?.isDirectory() === true;
}
