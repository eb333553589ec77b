import type { CreateEndpointBody, Endpoint } from '../../../contract/endpoint.ts';

/** The settings of an endpoint that decide how its workers run. References in `env` are not resolved. */
export type WorkerSettings = Pick<
  CreateEndpointBody,
  | 'image'
  | 'args'
  | 'entrypoint'
  | 'cmd'
  | 'env'
  | 'disk'
  | 'timeout'
  | 'gpu'
  | 'cpu'
  | 'mounts'
  | 'networkVolumes'
  | 'registry'
  | 'templateId'
  | 'x-local'
>;

/** Returns the settings of a deployed endpoint. */
export function settingsOfEndpoint(endpoint: Endpoint): WorkerSettings {
  const { image, args, entrypoint, cmd, env, disk, timeout, gpu, cpu, mounts, networkVolumes, registry } = endpoint;
  const words = { ...(entrypoint && { entrypoint }), ...(cmd && { cmd }) };
  const hasWords = Object.values(words).some(({ length }) => length > 0);
  const network = mounts?.network?.flatMap(({ volumeId, path }) => (path === undefined ? [] : [{ volumeId, path }]));
  return {
    ...(image !== undefined && { image }),
    ...(hasWords ? words : args !== undefined && args !== '' && { args }),
    ...(env && { env }),
    ...(disk !== undefined && { disk }),
    ...(registry && { registry }),
    timeout,
    ...(gpu && {
      gpu: {
        pools: gpu.pools,
        ...(gpu.count !== undefined && { count: gpu.count }),
        ...(gpu.excludedTypes && gpu.excludedTypes.length > 0 && { excludedTypes: gpu.excludedTypes }),
      },
    }),
    ...(cpu && { cpu: cpu.map(({ id, vcpuCount }) => ({ id, vcpuCount })) }),
    ...(network && network.length > 0 ? { mounts: { network } } : networkVolumes.length > 0 && { networkVolumes }),
    ...(endpoint['x-local'] && { 'x-local': endpoint['x-local'] }),
  };
}

/** A network volume that the workers of an endpoint mount. */
interface MountedVolume {
  readonly id: string;
  /** Undefined: the default of the platform. */
  readonly path: string | undefined;
}

/** Returns the network volumes of an endpoint. The worker of a local platform mounts only the first one. */
export function volumesOf({ mounts, networkVolumes = [] }: WorkerSettings): readonly MountedVolume[] {
  const mounted = (mounts?.network ?? []).map(({ volumeId, path }) => ({ id: volumeId, path }));
  return mounted.length > 0 ? mounted : networkVolumes.map((id) => ({ id, path: undefined }));
}
