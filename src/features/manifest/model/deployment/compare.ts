import { parseArgs, type ContainerCommand } from '../../../../contract/containerCommand.ts';
import type { CreateEndpointBody, Endpoint } from '../../../../contract/endpoint.ts';
import { DEFAULT_TIMEOUT_MS, WORKER_DEFAULTS, type Mounts } from '../../../../contract/endpointSettings.ts';
import { variable, type Environment } from '../../../../contract/environment.ts';
import { PROCESS_IMAGE_PREFIX } from '../../../../contract/processImage.ts';
import { changeBetween, type Draft, type ManifestChange } from './difference.ts';
import { manifestOf, withoutEmpty } from './endpointManifest.ts';
import { isDeepStrictEqual } from 'node:util';

/*
 * Comparison of a manifest with a deployed endpoint. Two settings that mean the same are equal: lists in another order if the order has no
 * meaning, a default and its omission, and two forms of the same command or the same volumes.
 */

/**
 * Returns the value of a text in `env`, or undefined if the text has a reference whose value is not available.
 */
export type Resolve = (text: string) => string | undefined;

export interface Comparison extends ManifestChange {
  /** The settings of the endpoint, in the form in which they are compared. */
  readonly deployed: Draft;
  /** The wanted settings. A setting that equals the deployed one has the deployed form. */
  readonly wanted: Draft;
  /** Names of variables that the endpoint does not have and whose values are not available. The body omits them. */
  readonly unresolved: readonly string[];
}

/**
 * Compares a create body with an endpoint. Settings without a default that the body omits are not compared.
 *
 * @param body body with the settings of its template
 */
export function compareWithEndpoint(body: CreateEndpointBody, endpoint: Endpoint, resolve: Resolve): Comparison {
  const deployed = deployedSettings(endpoint, body);
  const { env, unresolved } = environmentLike(body.env ?? {}, deployed.env ?? {}, resolve);
  const wanted = wantedSettings(body, deployed, env);
  const change = changeBetween(deployed, wanted);
  return { ...change, body: withoutUnresolved(change.body, deployed, unresolved), deployed, wanted, unresolved };
}

/** Returns the settings of an endpoint, with the volumes in the form of the body. */
function deployedSettings(endpoint: Endpoint, body: CreateEndpointBody): Draft {
  const { gpu, scaling, mounts, networkVolumes, ...rest } = manifestOf(endpoint);
  return withoutEmpty({
    ...rest,
    scaling: scaling && scalingOf(scaling),
    gpu: gpu && { ...gpu, count: gpu.count ?? 1 },
    ...volumesLike(body, { mounts, networkVolumes }),
  });
}

/** Removes the parameter of the other scaling rule. */
function scalingOf({ type, ...parameters }: NonNullable<Draft['scaling']>): Draft['scaling'] {
  const { queueDelay, requestCount } = parameters as { queueDelay?: number; requestCount?: number };
  const own = type === 'REQUEST_COUNT' ? { requestCount } : { queueDelay };
  return withoutEmpty({ type, ...own }) as unknown as Draft['scaling'];
}

/**
 * Returns the volumes of an endpoint in the form of a body: mounts, or only the IDs. A list of IDs has no paths, so paths are compared only
 * if both sides have them.
 */
function volumesLike(
  { mounts: own, networkVolumes: ids }: CreateEndpointBody,
  { mounts, networkVolumes }: Draft,
): Draft {
  if (ids?.length && !own?.network?.length) {
    const { network, ...others } = mounts ?? {};
    return {
      networkVolumes: networkVolumes ?? network?.map(({ volumeId }) => volumeId),
      ...(mounts && { mounts: others }),
    };
  }
  if (mounts || !networkVolumes || !own?.network) return { mounts, networkVolumes };
  const pathOf = (id: string) => own.network?.find(({ volumeId }) => volumeId === id)?.path ?? '';
  return { mounts: { network: networkVolumes.map((volumeId) => ({ volumeId, path: pathOf(volumeId) })) } };
}

/** Returns the settings of a body with all defaults. A setting that means the same as the deployed one takes its form. */
function wantedSettings(body: CreateEndpointBody, deployed: Draft, env: Environment): Draft {
  const { name, type, scaling, image, disk, ports, registry, cpu, gpu, dataCenterIds, flashboot, timeout } = body;
  return withoutEmpty({
    'x-local': body['x-local'],
    name,
    type,
    scaling,
    image: image ?? deployed.image,
    ...commandLike(body, deployed),
    disk: disk ?? deployed.disk,
    env,
    ports: listLike(ports, deployed.ports),
    registry: registry ?? undefined,
    gpu: gpu && gpuLike(gpu, deployed.gpu),
    cpu: cpu?.map(({ id, vcpuCount }) => ({ id, vcpuCount })),
    dataCenterIds: listLike(dataCenterIds, deployed.dataCenterIds),
    flashboot: flashboot ?? 'OFF',
    ...mountsLike(body, deployed),
    timeout: timeout ?? DEFAULT_TIMEOUT_MS,
    workers: workersLike(body, deployed),
  });
}

/** Returns the deployed list if both lists have the same items, in any order. */
function listLike<Item>(wanted: readonly Item[] = [], deployed: readonly Item[] = []): readonly Item[] {
  return isDeepStrictEqual(sorted(wanted), sorted(deployed)) ? deployed : wanted;
}

function sorted(items: readonly unknown[]): readonly string[] {
  return items.map((item) => JSON.stringify(item)).sort();
}

function gpuLike(wanted: NonNullable<Draft['gpu']>, deployed: Draft['gpu']): object {
  const { pools, excludedTypes = [], count, allowedCudaVersions, minCudaVersion } = wanted;
  const trimmed = (ids: readonly string[] = []) => ids.map((id) => id.trim());
  const sameTypes = isDeepStrictEqual(trimmed(excludedTypes).sort(), trimmed(deployed?.excludedTypes).sort());
  return withoutEmpty({
    pools,
    excludedTypes: sameTypes ? deployed?.excludedTypes : excludedTypes,
    count: count ?? 1,
    allowedCudaVersions: listLike(allowedCudaVersions, deployed?.allowedCudaVersions),
    minCudaVersion,
  });
}

type Command = Pick<Draft, 'args' | 'entrypoint' | 'cmd'>;

/** Returns the deployed form of the command if both forms start the same command. */
function commandLike({ image, args, entrypoint, cmd }: CreateEndpointBody, deployed: Draft): Command {
  const wanted: Command = args === undefined || args === '' ? { entrypoint, cmd } : { args };
  const isProcess = [image ?? deployed.image, deployed.image].every((one) => one?.startsWith(PROCESS_IMAGE_PREFIX));
  const isSame = isDeepStrictEqual(wordsOf(wanted, isProcess), wordsOf(deployed, isProcess));
  const { args: line, entrypoint: first, cmd: rest } = isSame ? deployed : wanted;
  return { args: line, entrypoint: first, cmd: rest };
}

/** Returns the words of a command. A process has one list of words, and a container has an entry point and its arguments. */
function wordsOf(command: Command, isProcess: boolean): unknown {
  const { entrypoint = [], cmd = [] } = partsOf(command);
  return isProcess ? [...entrypoint, ...cmd] : [entrypoint, cmd];
}

function partsOf({ args, entrypoint, cmd }: Command): ContainerCommand {
  if (args === undefined) return { entrypoint, cmd };
  try {
    return parseArgs(args);
  } catch {
    // The service can have stored a command that this release cannot read. It equals only itself.
    return { cmd: [args] };
  }
}

function mountsLike({ mounts, networkVolumes }: CreateEndpointBody, deployed: Draft): Draft {
  const { network = [], global = [] } = mounts ?? {};
  // With mounts, both lists name the same volumes.
  const isListed = networkVolumes !== undefined && networkVolumes.length > 0 && network.length === 0;
  const like = (kind: keyof Mounts, wanted: NonNullable<Mounts[typeof kind]>) =>
    listLike(wanted, deployed.mounts?.[kind]);
  const given = withoutEmpty({ network: isListed ? [] : like('network', network), global: like('global', global) });
  return {
    mounts: given,
    networkVolumes: isListed ? [...listLike(networkVolumes, deployed.networkVolumes)] : undefined,
  };
}

function workersLike({ type, scaling, workers = {} }: CreateEndpointBody, deployed: Draft): object {
  const { min, max, idleTimeout } = workers;
  const known = deployed.workers?.idleTimeout;
  // The service does not report a timeout that it ignores. Another scaling rule can bring an earlier timeout back.
  const isHidden = ignoresIdleTimeout(deployed);
  const usual =
    ignoresIdleTimeout({ type, scaling }) || (known === undefined && !isHidden) ? known : WORKER_DEFAULTS.idleTimeout;
  return withoutEmpty({
    min: min ?? WORKER_DEFAULTS.min,
    max: max ?? WORKER_DEFAULTS.max,
    idleTimeout: idleTimeout ?? usual,
  });
}

/** Returns whether an endpoint with these settings has no idle timeout. */
export function ignoresIdleTimeout({ type, scaling }: Pick<Draft, 'type' | 'scaling'>): boolean {
  return type === 'QUEUE' && scaling?.type === 'REQUEST_COUNT';
}

/** Returns the wanted variables with their values. A variable whose value is not available keeps its deployed value. */
function environmentLike(
  wanted: Environment,
  deployed: Environment,
  resolve: Resolve,
): { readonly env: Environment; readonly unresolved: readonly string[] } {
  const unresolved: string[] = [];
  const entries = Object.entries(wanted).map(([name, text]): [string, string] => {
    const value = resolve(text) ?? variable(deployed, name);
    if (value === undefined) unresolved.push(name);
    return [name, value ?? text];
  });
  return { env: Object.fromEntries(entries), unresolved };
}

/** Removes variables without an available value from a body, because the service would store their references. */
function withoutUnresolved(
  body: ManifestChange['body'],
  deployed: Draft,
  unresolved: readonly string[],
): ManifestChange['body'] {
  if (!body.env || unresolved.length === 0) return body;
  const { env, ...others } = body;
  const available = Object.fromEntries(Object.entries(env).filter(([name]) => !unresolved.includes(name)));
  return isDeepStrictEqual(available, deployed.env ?? {}) ? others : { ...others, env: available };
}
