import type { Endpoint } from '../../../../contract/endpoint.ts';
import type { Manifest } from '../../../../contract/manifest.ts';

/** Returns the manifest that would create this endpoint. Omits fields that are absent or empty. */
export function manifestOf(endpoint: Endpoint): Partial<Manifest> {
  const { name, type, scaling, image, args, entrypoint, cmd, disk, env, ports, registry } = endpoint;
  const { gpu, cpu, dataCenterIds, flashboot, timeout, workers, 'x-local': local } = endpoint;
  return withoutEmpty({
    name,
    // Older services omit the type and have only queue endpoints.
    type: type ?? 'QUEUE',
    scaling: scalingOf(scaling),
    image,
    // If `args` is set, the service derives `entrypoint` and `cmd` from it.
    ...(args === undefined || args === '' ? { entrypoint, cmd } : { args }),
    disk,
    env,
    ports,
    registry: registry ?? undefined,
    gpu: gpu ? gpuOf(gpu) : undefined,
    cpu: cpu?.map(({ id, vcpuCount }) => ({ id, vcpuCount })),
    dataCenterIds,
    flashboot: flashboot,
    ...volumesOf(endpoint),
    timeout,
    workers: withoutEmpty({ min: workers.min, max: workers.max, idleTimeout: workers.idleTimeout }),
    'x-local': local,
  });
}

function scalingOf({ type, queueDelay, requestCount }: Endpoint['scaling']): Manifest['scaling'] {
  return withoutEmpty({ type, queueDelay, requestCount }) as unknown as Manifest['scaling'];
}

function gpuOf(gpu: NonNullable<Endpoint['gpu']>): object {
  const { pools, excludedTypes, count, allowedCudaVersions, minCudaVersion } = gpu;
  return withoutEmpty({
    pools,
    excludedTypes,
    count,
    allowedCudaVersions,
    minCudaVersion: minCudaVersion ?? undefined,
  });
}

function volumesOf({ mounts, networkVolumes }: Endpoint): object {
  if (!mounts) return { networkVolumes };
  const list = (kind: 'network' | 'global') =>
    mounts[kind]?.map(({ volumeId, path }) => (path === undefined ? { volumeId } : { volumeId, path }));
  const given = withoutEmpty({ network: list('network'), global: list('global') });
  return { mounts: Object.keys(given).length > 0 ? given : undefined };
}

/** Removes absent members, empty lists, and empty maps. */
export function withoutEmpty(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const hasContent = (member: unknown) =>
    member !== undefined && (typeof member !== 'object' || member === null || Object.keys(member).length > 0);
  return Object.fromEntries(Object.entries(value).filter(([, member]) => hasContent(member)));
}
