import type { Exists } from '../../contract/referenceRules.ts';
import type { Clock } from '../time/clock.ts';
import type { EndpointRecord } from '../domain/endpoint.ts';
import type { GlobalVolumeRecord, NetworkVolumeRecord } from '../domain/networkVolume.ts';
import { mayRunProcesses } from '../domain/processImage.ts';
import { volumeUsage } from '../domain/usage.ts';
import type { Mount } from '../runtimes/runSpec.ts';
import type { Store } from '../store/store.ts';
import { Registries } from './registries.ts';
import { secretBox, type SecretBox } from '../secrets/secretBox.ts';
import { Templates } from './templates.ts';
import { volumeDirectories } from './volumeDirectories.ts';
import { Volumes } from './volumes.ts';

/** Resources of one account, except its endpoints. */
export interface AccountResources {
  readonly templates: Templates;
  readonly registries: Registries;
  readonly networkVolumes: Volumes<NetworkVolumeRecord>;
  readonly globalVolumes: Volumes<GlobalVolumeRecord>;
  readonly exists: Exists;
}

/** Resources of all accounts. */
export interface Resources {
  readonly of: (accountId: string) => AccountResources;
  /**
   * Returns the volumes that the endpoint's workers mount. A worker mounts only the network volume of its data center. Locally,
   * this is the first one.
   *
   * @throws Refusal 404 if the volume has been deleted; the file system's error
   */
  readonly mountsOf: (endpoint: Pick<EndpointRecord, 'accountId' | 'mounts'>) => readonly Mount[];
  /** Returns the network volumes of all accounts. */
  networkVolumes(): readonly NetworkVolumeRecord[];
  /** Returns the directory of a volume, and one on the same file system that workers do not see. @throws the file system's error */
  directoriesOf(volumeId: string): { readonly directory: string; readonly state: string };
  /** Finishes the deletions of volumes that an earlier process began. */
  recover(): Promise<void>;
  close(): Promise<void>;
}

export interface ResourceOptions {
  /** Default: a temporary directory. */
  readonly volumesDirectory?: string | undefined;
  readonly secrets: SecretBox;
  /** True if accounts other than the owner's may run programs on this machine. Default: false. */
  readonly allowProcessEndpoints?: boolean | undefined;
}

/** @param options default: keeps volumes only until `close` */
export function openResources(
  store: Store,
  clock: Clock,
  { volumesDirectory, secrets, allowProcessEndpoints = false }: ResourceOptions = { secrets: secretBox() },
): Resources {
  const directories = volumeDirectories(volumesDirectory);
  const known = new Map<string, AccountResources>();

  const open = (accountId: string): AccountResources => {
    const own = store.resources.of(accountId);
    const endpoints = () => store.endpoints.list().filter((endpoint) => endpoint.accountId === accountId);
    const permitted = mayRunProcesses(accountId, allowProcessEndpoints);
    const context = { accountId, store, clock, own, endpoints, mayRunProcesses: permitted };
    const shared = { ...context, directories };
    const networkVolumes = new Volumes({
      ...{ ...shared, kind: 'network volume', records: own.networkVolumes },
      usageOf: volumeUsage,
    });
    // Global volumes are free, because their price is not public.
    const globalVolumes = new Volumes({ ...shared, kind: 'global volume', records: own.globalVolumes });
    const exists: Exists = (kind, id) => {
      if (kind === 'registry') return own.registries.get(id) !== undefined;
      return (kind === 'network volume' ? networkVolumes.find(id) : globalVolumes.find(id)) !== undefined;
    };
    const registries = new Registries(context, secrets);
    return { templates: new Templates(context, exists), registries, networkVolumes, globalVolumes, exists };
  };

  const of = (accountId: string): AccountResources => {
    let resources = known.get(accountId);
    if (!resources) known.set(accountId, (resources = open(accountId)));
    return resources;
  };

  return {
    of,
    mountsOf: ({ accountId, mounts: { network = [], global = [] } }) => {
      const [mount] = [...network, ...global];
      if (!mount) return [];
      const { networkVolumes, globalVolumes } = of(accountId);
      // Older workers of an endpoint can still refer to a volume that was detached and deleted.
      const { id } = (network.length > 0 ? networkVolumes : globalVolumes).get(mount.volumeId);
      return [{ directory: directories.of(id), path: mount.path }];
    },
    networkVolumes: () => store.accounts.list().flatMap(({ id }) => store.resources.of(id).networkVolumes.list()),
    directoriesOf: (volumeId) => ({ directory: directories.of(volumeId), state: directories.stateOf(volumeId) }),
    recover: () => {
      const volumes = store.accounts.list().flatMap(({ id }) => {
        const { networkVolumes, globalVolumes } = store.resources.of(id);
        return [...networkVolumes.list(), ...globalVolumes.list()];
      });
      const ids = new Set(volumes.map(({ id }) => id));
      return directories.finishDeletions((id) => ids.has(id));
    },
    close: () => directories.close(),
  };
}
