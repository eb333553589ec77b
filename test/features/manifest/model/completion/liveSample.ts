import type { LiveValues } from '../../../../../src/account/liveValues/liveValues.ts';

/** Values of a platform, as its catalog and its lists return them. */
export const live: Required<LiveValues> = {
  gpus: [
    gpu({ id: 'NVIDIA A100 80GB PCIe', name: 'A100 PCIe', pool: 'AMPERE_80', memory: 80, usd: 1.19, stock: 'NONE' }),
    gpu({ id: 'NVIDIA GeForce RTX 4090', name: 'RTX 4090', pool: 'ADA_24', memory: 24, usd: 0.69, stock: 'HIGH' }),
    gpu({ id: 'NVIDIA L4', name: 'L4', pool: 'ADA_24', memory: 24, usd: 0.43, stock: 'LOW' }),
    gpu({ id: 'NVIDIA GeForce RTX 3090', name: 'RTX 3090', pool: null, memory: 24, usd: 0.22, stock: 'LOW' }),
  ],
  cpus: [
    {
      id: 'cpu3c',
      name: 'Compute-Optimized',
      group: 'cpu3',
      vcpu: { min: 2, max: 8 },
      ramGbPerVcpu: 2,
      price: { securePerVcpu: 0.03, serverlessPerVcpu: 0.04 },
    },
    {
      id: 'cpu5g',
      name: 'General Purpose',
      group: 'cpu5',
      vcpu: { min: 4, max: 16 },
      ramGbPerVcpu: 4,
      price: { securePerVcpu: 0.05, serverlessPerVcpu: 0.06 },
    },
  ],
  dataCenters: [
    {
      id: 'EU-RO-1',
      name: 'Romania 1',
      region: 'EUROPE',
      globalNetwork: true,
      networkVolumeTypes: ['STANDARD'],
      compliance: [],
    },
    {
      id: 'US-KS-2',
      name: 'Kansas 2',
      region: 'NORTH_AMERICA',
      globalNetwork: true,
      networkVolumeTypes: [],
      compliance: [],
    },
  ],
  registries: [{ id: 'reg_1', name: 'Docker Hub' }],
  templates: [{ id: 'tpl_1', name: 'vLLM worker', serverless: true, image: 'example/vllm:1' }],
  networkVolumes: [
    { id: 'vol_1', name: 'models', size: 50, dataCenter: 'EU-RO-1', type: 'STANDARD' },
    { id: 'vol_2', name: 'data', size: 10, dataCenter: 'US-KS-2', type: 'HIGH_PERFORMANCE' },
  ],
  globalVolumes: [{ id: 'gsb_1', name: 'shared', createdAt: '2026-01-01T00:00:00Z' }],
};

interface Gpu {
  readonly id: string;
  readonly name: string;
  readonly pool: string | null;
  readonly memory: number;
  readonly usd: number;
  readonly stock: string;
}

function gpu({ usd, stock, ...type }: Gpu) {
  return {
    ...type,
    manufacturer: 'NVIDIA',
    secure: true,
    community: true,
    price: { secure: usd, community: usd, serverless: usd },
    maxCount: { secure: 8, community: 8 },
    availability: stock,
    cudaVersions: [
      { version: '12.4', available: true },
      { version: '12.11', available: stock === 'HIGH' },
    ],
  };
}
