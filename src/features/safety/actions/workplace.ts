import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import type { CreateEndpointBody } from '../../../contract/endpoint.ts';
import { MIN_VOLUME_GB } from '../../../contract/networkVolume.ts';
import { PROCESS_IMAGE_PREFIX } from '../../../contract/processImage.ts';
import type { SafetyPart } from '../../../contract/safety.ts';
import { UserError } from '../../../kit/userError.ts';
import { createTemporaryFolder } from '../../../machine/folderLock.ts';
import { RecordingProxy } from './recordingProxy.ts';
import * as account from '../../../account/localPlatform/privatePlatform.ts';
import { createControlClient, type ControlClient } from '../../../client/controlClient.ts';
import { PlatformStartError } from '../../../machine/platformLaunch.ts';

export interface WorkplaceOptions {
  readonly body: Pick<CreateEndpointBody, 'image' | 'mounts'>;
  readonly edges: SafetyPart;
  /** Path of the platform's program. */
  readonly platformScript: string;
  /** Flags of the container engine. */
  readonly engineFlags: readonly string[];
  readonly signal: AbortSignal;
}

/** The directories of one run. */
export interface RunFolder {
  /** On this machine. */
  readonly directory: string;
  /** The same directory as workers see it. */
  readonly seenAs: string;
  /** Mounts of the workers. Undefined: they are processes, and need none. */
  readonly mounts: CreateEndpointBody['mounts'];
  /** Deletes the directory, as far as this user may. */
  remove(): Promise<void>;
}

/** Where the workers of a check run, and where their effects are seen. */
export interface Workplace {
  readonly platform: PrivatePlatform;
  readonly proxy: RecordingProxy;
  /** Creates the folder of the next run. @throws ApiError */
  newFolder(signal: AbortSignal): Promise<RunFolder>;
  /** Stops the platform and its workers, and deletes the folders. */
  close(): Promise<void>;
}

/** Name of this machine in containers, unless the user has set an address. */
const CONTAINER_HOST = 'host.docker.internal';
const WORKER_HOST_FLAG = '--worker-host';
/** Where containers see the directories if the endpoint mounts no volume. */
const MOUNT_PATH = '/cloud-compute-safety';

/**
 * Starts a private platform and a recording proxy for workers as processes, or in containers of this machine.
 *
 * @throws UserError if the workers cannot be checked there; the reason of the signal
 */
export async function openWorkplace(options: WorkplaceOptions): Promise<Workplace> {
  const { body, edges, platformScript: script, engineFlags, signal } = options;
  const inContainers = body.image?.startsWith(PROCESS_IMAGE_PREFIX) !== true;
  const scratch = await createTemporaryFolder('cloud-compute-safety-');
  // Files of a container can belong to another user.
  const remove = (folder: string) => rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  const flag = engineFlags.indexOf(WORKER_HOST_FLAG);
  const host = flag === -1 ? CONTAINER_HOST : engineFlags[flag + 1];
  const proxy = await RecordingProxy.start({
    edges: edges.http ?? {},
    containerHost: inContainers ? host : undefined,
  });
  const closing: (() => Promise<void>)[] = [() => proxy.close(), () => scratch.remove()];
  const close = async (): Promise<void> => {
    for (const step of closing) await step();
  };
  try {
    const volumes = path.join(scratch.path, 'volumes');
    const flags = ['--volumes-dir', volumes, '--forward-ports', proxy.ports.join(','), ...engineFlags];
    const platform = await startPrivatePlatform({ script, ...(inContainers && { flags }) }, signal);
    closing.unshift(() => platform.stop());
    if (inContainers) await checkEngine(platform, signal);
    const newFolder = inContainers
      ? (given: AbortSignal) => newVolume({ platform, volumes, path: mountPath(body) ?? MOUNT_PATH, remove }, given)
      : async (): Promise<RunFolder> => {
          const directory = await mkdtemp(path.join(scratch.path, 'run-'));
          return { directory, seenAs: directory, mounts: undefined, remove: () => remove(directory) };
        };
    return { platform, proxy, newFolder, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Returns where containers see the first volume of the endpoint. */
function mountPath({ mounts }: Pick<CreateEndpointBody, 'mounts'>): string | undefined {
  return (mounts?.network?.[0] ?? mounts?.global?.[0])?.path;
}

/** @throws UserError if no engine of this machine runs the workers */
async function checkEngine({ control }: PrivatePlatform, signal: AbortSignal): Promise<void> {
  const { runtime, engine } = await control.getEngine({}, { signal });
  const remedy = l10n.t('to check the worker as a process, set x-local.directory and x-local.command in the manifest');
  if (runtime === 'kubernetes')
    throw new UserError(l10n.t`the effects of a worker on a cluster cannot be seen; ${remedy}`);
  if (!engine) throw new UserError(l10n.t`no container engine was found; ${remedy}`);
  if (isRemote(engine.address))
    throw new UserError(
      l10n.t`the container engine is on another machine (${engine.address}), so that the effects of its workers cannot be seen; ${remedy}`,
    );
  if (!engine.reachable)
    throw new UserError(l10n.t`the container engine does not respond: ${engine.problem ?? ''}; ${remedy}`);
}

function isRemote(address: string): boolean {
  if (/^(?:unix|npipe):/.test(address)) return false;
  const host = URL.parse(address.replace(/^[a-z]+:/, 'http:'))?.hostname ?? '';
  return host !== 'localhost' && host !== '[::1]' && !host.startsWith('127.');
}

interface VolumeOptions {
  readonly platform: PrivatePlatform;
  /** Directory of the volumes. */
  readonly volumes: string;
  /** Path in the container. */
  readonly path: string;
  readonly remove: (folder: string) => Promise<void>;
}

async function newVolume(
  { platform: { client }, volumes, path: seenAs, remove }: VolumeOptions,
  signal: AbortSignal,
): Promise<RunFolder> {
  // On a local platform, any data center will do.
  const [dataCenter] = (await client.listDataCenters({}, { signal })).dataCenters;
  const record = { name: 'safety', size: MIN_VOLUME_GB, dataCenter: dataCenter?.id ?? '' };
  const { id } = await client.createNetworkVolume({ body: record }, { signal });
  const directory = path.join(volumes, id);
  await mkdir(directory, { recursive: true });
  return { directory, seenAs, mounts: { network: [{ volumeId: id, path: seenAs }] }, remove: () => remove(directory) };
}

/** A platform that only one check uses. */
export interface PrivatePlatform extends account.PrivatePlatform {
  readonly control: ControlClient;
  /** Host and port. */
  readonly authority: string;
}

/** Starts a platform. @throws UserError with its explanation; the reason of the signal */
async function startPrivatePlatform(launch: account.PrivateLaunch, signal: AbortSignal): Promise<PrivatePlatform> {
  try {
    const platform = await account.startPrivatePlatform(launch, signal);
    const authority = new URL(platform.options.connection.baseUrl).host;
    return { ...platform, control: createControlClient(platform.options), authority };
  } catch (error) {
    if (!(error instanceof PlatformStartError)) throw error;
    throw new UserError(l10n.t`the local platform cannot start: ${error.message}`);
  }
}
