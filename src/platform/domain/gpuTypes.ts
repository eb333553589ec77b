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
