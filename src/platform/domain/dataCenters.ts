import type { DataCenter } from '../../contract/catalog.ts';
import type { HardwareCatalog } from '../../contract/hardwareRules.ts';
import { CPU_FLAVORS, CPU_VCPUS, MAX_GPUS } from './workerPrices.ts';
import { GPU_TYPES } from './gpuTypes.ts';

/*
 * The data centers of the hosted service, so that manifests and volumes that name one also work here. Each stands for this machine,
 * which has no compliance certificates and no global network.
 */

export interface DataCenterEntry {
  readonly id: string;
  readonly region: DataCenter['region'];
  /** ISO 3166 code that `countryCodes` filters by. */
  readonly country: string;
}

const dataCenters = (region: DataCenterEntry['region'], country: string, ids: readonly string[]): DataCenterEntry[] =>
  ids.map((id) => ({ id, region, country }));

export const DATA_CENTERS: readonly DataCenterEntry[] = [
  ...dataCenters('ASIA', 'JP', ['AP-JP-1']),
  ...dataCenters('NORTH_AMERICA', 'CA', ['CA-MTL-1', 'CA-MTL-2', 'CA-MTL-3']),
  ...dataCenters('EUROPE', 'CZ', ['EU-CZ-1']),
  ...dataCenters('EUROPE', 'FR', ['EU-FR-1']),
  ...dataCenters('EUROPE', 'NL', ['EU-NL-1']),
  ...dataCenters('EUROPE', 'RO', ['EU-RO-1']),
  ...dataCenters('EUROPE', 'SE', ['EU-SE-1']),
  ...dataCenters('EUROPE', 'IS', ['EUR-IS-1', 'EUR-IS-2', 'EUR-IS-3']),
  ...dataCenters('EUROPE', 'NO', ['EUR-NO-1']),
  ...dataCenters('OCEANIA', 'AU', ['OC-AU-1']),
  ...dataCenters('NORTH_AMERICA', 'US', [
    ...['US-CA-2', 'US-DE-1', 'US-GA-1', 'US-GA-2', 'US-IL-1', 'US-KS-2', 'US-KS-3', 'US-MD-1', 'US-MO-1', 'US-MO-2'],
    ...['US-NC-1', 'US-NC-2', 'US-NE-1', 'US-TX-1', 'US-TX-3', 'US-TX-4', 'US-WA-1'],
  ]),
];

/** The platform's hardware, for the rules that depend on it. */
export const HARDWARE_CATALOG: HardwareCatalog = {
  gpus: GPU_TYPES.map(({ id, pool }) => ({ id, pool, maxCount: { secure: MAX_GPUS, community: 0 } })),
  cpus: Object.keys(CPU_FLAVORS).map((id) => ({ id, vcpu: CPU_VCPUS })),
  dataCenters: DATA_CENTERS,
};
