import type { DataCenter } from '../../contract/catalog.ts';
import type { HardwareCatalog } from '../../contract/hardwareRules.ts';
import { CPU_FLAVORS, CPU_VCPUS, MAX_GPUS } from './workerPrices.ts';

/** A GPU type and the pool that contains it. */
export interface GpuTypeEntry {
  readonly id: string;
  readonly name: string;
  readonly pool: string;
  /** Memory in GB. */
  readonly memory: number;
}

const inPool = (pool: string, types: readonly (readonly [id: string, name: string, memory: number])[]) =>
  types.map(([id, name, memory]): GpuTypeEntry => ({ id, name, pool, memory }));

/** All GPU types that an endpoint can get. Types outside all pools are for pods, which this platform does not run. */
export const GPU_TYPES: readonly GpuTypeEntry[] = [
  ...inPool('AMPERE_16', [
    ['NVIDIA RTX A4000', 'RTX A4000', 16],
    ['NVIDIA RTX A4500', 'RTX A4500', 20],
    ['NVIDIA RTX 4000 Ada Generation', 'RTX 4000 Ada', 20],
    ['NVIDIA RTX 2000 Ada Generation', 'RTX 2000 Ada', 16],
  ]),
  ...inPool('AMPERE_24', [
    ['NVIDIA L4', 'L4', 24],
    ['NVIDIA RTX A5000', 'RTX A5000', 24],
    ['NVIDIA GeForce RTX 3090', 'RTX 3090', 24],
  ]),
  ...inPool('ADA_24', [['NVIDIA GeForce RTX 4090', 'RTX 4090', 24]]),
  ...inPool('AMPERE_48', [
    ['NVIDIA RTX A6000', 'RTX A6000', 48],
    ['NVIDIA A40', 'A40', 48],
  ]),
  ...inPool('ADA_48_PRO', [
    ['NVIDIA L40', 'L40', 48],
    ['NVIDIA L40S', 'L40S', 48],
    ['NVIDIA RTX 6000 Ada Generation', 'RTX 6000 Ada', 48],
  ]),
  ...inPool('AMPERE_80', [
    ['NVIDIA A100 80GB PCIe', 'A100 PCIe', 80],
    ['NVIDIA A100-SXM4-80GB', 'A100 SXM', 80],
  ]),
  ...inPool('ADA_80_PRO', [
    ['NVIDIA H100 PCIe', 'H100 PCIe', 80],
    ['NVIDIA H100 80GB HBM3', 'H100 SXM', 80],
    ['NVIDIA H100 NVL', 'H100 NVL', 94],
  ]),
  ...inPool('HOPPER_141', [['NVIDIA H200', 'H200 SXM', 141]]),
  ...inPool('BLACKWELL_96', [
    ['NVIDIA RTX PRO 6000 Blackwell Server Edition', 'RTX PRO 6000', 96],
    ['NVIDIA RTX PRO 6000 Blackwell Workstation Edition', 'RTX PRO 6000 WK', 96],
  ]),
  ...inPool('BLACKWELL_180', [['NVIDIA B200', 'B200', 180]]),
];

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
