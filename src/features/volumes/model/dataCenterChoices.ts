import type { DataCenter, GpuType } from '../../../contract/catalog.ts';

export interface DataCenterChoice {
  readonly dataCenter: DataCenter;
  /** Availability of each wanted GPU type that the data center has, best first, such as `L4: HIGH`. */
  readonly stock: readonly { readonly gpu: string; readonly availability: string }[];
}

const LEVELS: readonly string[] = ['HIGH', 'MEDIUM', 'LOW'];
const rankOf = (availability: string): number =>
  (LEVELS.indexOf(availability) + LEVELS.length + 1) % (LEVELS.length + 1);

/**
 * Returns the data centers that can have a volume, those with the best stock of the wanted GPUs first.
 *
 * @param pools pools of the manifests and endpoints that could mount the volume. Empty: every pool
 */
export function dataCenterChoices(
  dataCenters: readonly DataCenter[],
  gpus: readonly GpuType[],
  pools: ReadonlySet<string>,
): readonly DataCenterChoice[] {
  const wanted = gpus.filter(({ pool }) => pool !== null && (pools.size === 0 || pools.has(pool)));
  return dataCenters
    .filter(({ networkVolumeTypes }) => networkVolumeTypes.length > 0)
    .map((dataCenter) => ({
      dataCenter,
      stock: wanted
        .map(({ name, dataCenters: places = [] }) => ({
          gpu: name,
          availability: places.find(({ id }) => id === dataCenter.id)?.availability ?? 'NONE',
        }))
        .filter(({ availability }) => LEVELS.includes(availability))
        .sort((a, b) => rankOf(a.availability) - rankOf(b.availability)),
    }))
    .sort((a, b) => scoreOf(b) - scoreOf(a));
}

const scoreOf = ({ stock }: DataCenterChoice): number =>
  stock.reduce((sum, { availability }) => sum + LEVELS.length - LEVELS.indexOf(availability), 0);
