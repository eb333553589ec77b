import type { Clock } from '../clock.ts';
import type { EndpointRecord } from '../domain/endpoint.ts';
import type { GlobalVolumeRecord } from '../domain/globalVolume.ts';
import type { NetworkVolumeRecord } from '../domain/networkVolume.ts';
import type { Exists } from '../domain/references.ts';
import { volumeUsage } from '../domain/usage.ts';
import type { Store } from '../store/store.ts';
import { Registries } from './registries.ts';
import { secretBox } from './secretBox.ts';
import { Templates } from './templates.ts';
import { volumeDirectories } from './volumeDirectories.ts';
import { Volumes } from './volumes.ts';

/** What an account has beside its endpoints, and what endpoints take from it. */
export interface Resources {
  readonly templates: Templates;
  readonly registries: Registries;
  readonly networkVolumes: Volumes<NetworkVolumeRecord>;
  readonly globalVolumes: Volumes<GlobalVolumeRecord>;
  readonly exists: Exists;
  /**
   * The directory of the volume that the endpoint's workers get; undefined: none. Of several network volumes each worker gets
   * the one of its data center: here that is the first.
   *
   * @throws Refusal 404 when it has been deleted; the file system's error
   */
  readonly volumeDirectory: (endpoint: Pick<EndpointRecord, 'mounts'>) => string | undefined;
  close(): Promise<void>;
}

export interface ResourcePaths {
  readonly volumesDirectory: string;
  readonly secretKeyFile: string;
}

/** @param paths left out: nothing outlives the platform */
export function openResources(store: Store, clock: Clock, paths?: ResourcePaths): Resources {
  const directories = volumeDirectories(paths?.volumesDirectory);
  const registries = new Registries(store, clock, secretBox(paths?.secretKeyFile));
  const shared = { store, clock, directories };
  const networkVolumes = new Volumes({
    ...{ ...shared, kind: 'network volume', records: store.networkVolumes },
    usageOf: volumeUsage,
  });
  // What global volumes cost is not public: they are free here.
  const globalVolumes = new Volumes({ ...shared, kind: 'global volume', records: store.globalVolumes });
  const exists: Exists = (kind, id) => {
    if (kind === 'registry') return store.registries.get(id) !== undefined;
    return (kind === 'network volume' ? networkVolumes.find(id) : globalVolumes.find(id)) !== undefined;
  };
  return {
    templates: new Templates(store, exists),
    registries,
    networkVolumes,
    globalVolumes,
    exists,
    volumeDirectory: ({ mounts: { network = [], global = [] } }) => {
      const [mount] = [...network, ...global];
      if (!mount) return undefined;
      // An endpoint's older workers can still have a volume that was detached and deleted.
      return directories.of((network.length > 0 ? networkVolumes : globalVolumes).get(mount.volumeId).id);
    },
    close: () => directories.close(),
  };
}
