import path from 'node:path';
import type { Container, Pod, Secret, Volume, VolumeMount } from 'kubernetes-types/core/v1.js';
import { pinnedImage, credentialAddress } from '../../../contract/imageReference.ts';
import type { RunResources, RunSpec, Mount } from '../runSpec.ts';
import { StartError } from '../runtime.ts';
import { workerCapabilities } from '../workerCapabilities.ts';
import { workerEnvironment } from '../workerEnvironment.ts';
import { podLabels } from './podIdentity.ts';
import type { RegistryCredentials } from '../../domain/registry.ts';
import { referenceOf } from '../imageReference.ts';

/** Name of the worker's container in its pod. */
export const CONTAINER = 'worker';

/** Time that a worker has to exit when the cluster ends its pod, as when a node is drained, in seconds. */
const GRACE_SECONDS = 30;

export interface PodSettings {
  readonly name: string;
  /** URL of the worker protocol for pods. */
  readonly protocolUrl: string;
  readonly image: string;
  readonly pullPolicy: 'Always' | 'IfNotPresent';
  /** Name of the secret with the credentials of the registry; omitted for a pull without credentials. */
  readonly pullSecret?: string | undefined;
  readonly volumeClaim?: VolumeClaim | undefined;
  /** Capabilities of workers that the owner of the platform allows in addition. */
  readonly capabilities?: readonly string[] | undefined;
  /** Time after which the pod of an unreachable node is given up, in seconds. */
  readonly nodeLossSeconds: number;
}

/** Returns the image to run, which is the pinned one for a release that has already run. */
export function imageOf({ image, pinned }: Pick<RunSpec, 'image' | 'pinned'>): string {
  return pinned === undefined ? image : pinnedImage(image, pinned);
}

/** Returns the pod of a run. @throws StartError */
export function podOf(spec: RunSpec, settings: PodSettings): Pod {
  const { volumes, volumeMounts } = claimedVolumes(spec.mounts, settings.volumeClaim);
  const protocol = { ...spec.protocol, url: settings.protocolUrl };
  const env = workerEnvironment({ ...spec, protocol }, { sendsToken: true });
  if ([...spec.entrypoint, ...spec.cmd, ...Object.entries(env).flat()].some((text) => text.includes('\0'))) {
    throw new StartError('the command or environment contains a null byte. Remove it.');
  }
  const container: Container = {
    name: CONTAINER,
    image: settings.image,
    imagePullPolicy: settings.pullPolicy,
    ...(spec.entrypoint.length > 0 && { command: spec.entrypoint.map(literal) }),
    ...(spec.cmd.length > 0 && { args: spec.cmd.map(literal) }),
    env: Object.entries(env).map(([name, value]) => ({ name, value: literal(value) })),
    ports: spec.ports.map((containerPort) => ({ containerPort })),
    resources: resourcesOf(spec.resources),
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: workerCapabilities(settings.capabilities),
      seccompProfile: { type: 'RuntimeDefault' },
    },
    volumeMounts,
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: settings.name, labels: podLabels(spec.labels) },
    spec: {
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      // The first process of the pod reaps zombies, and a worker that does not handle SIGTERM ends by it.
      shareProcessNamespace: true,
      terminationGracePeriodSeconds: GRACE_SECONDS,
      tolerations: ['not-ready', 'unreachable'].map((condition) => ({
        ...{ key: `node.kubernetes.io/${condition}`, operator: 'Exists', effect: 'NoExecute' },
        tolerationSeconds: settings.nodeLossSeconds,
      })),
      ...(settings.pullSecret !== undefined && { imagePullSecrets: [{ name: settings.pullSecret }] }),
      containers: [container],
      volumes,
    },
  };
}

/** Returns whether a pod has the variables of another one, which contain the token and the address of the platform. */
export function hasVariablesOf(pod: Pod, other: Pod): boolean {
  const variablesOf = ({ spec }: Pod): string[] =>
    // The cluster omits empty values.
    (spec?.containers[0]?.env ?? []).map(({ name, value = '' }) => `${name}=${value}`);
  const found = new Set(variablesOf(pod));
  return variablesOf(other).every((variable) => found.has(variable));
}

/** Kubernetes replaces `$(NAME)` in commands and values, and `$$` means `$`. */
function literal(text: string): string {
  return text.replaceAll('$', '$$$$');
}

const MI_PER_GB = 1024;
const MILLI = 1000;

/** Requests equal limits, so that a worker always has its resources. */
function resourcesOf({ vcpu, memoryGb, gpus, diskGb }: RunResources): NonNullable<Container['resources']> {
  const limits = {
    ...(vcpu !== undefined && { cpu: `${Math.round(vcpu * MILLI)}m` }),
    ...(memoryGb !== undefined && { memory: `${Math.round(memoryGb * MI_PER_GB)}Mi` }),
    ...(diskGb !== undefined && { 'ephemeral-storage': `${Math.round(diskGb * MI_PER_GB)}Mi` }),
    ...(gpus > 0 && { 'nvidia.com/gpu': String(gpus) }),
  };
  return { limits, requests: limits };
}

/** Returns the secret with which a node pulls an image. @throws StartError for an invalid reference of an image */
export function pullSecret(
  name: string,
  image: string,
  { labels, credentials: { username, password } }: { labels: Record<string, string>; credentials: RegistryCredentials },
): Secret {
  const auth = Buffer.from(`${username}:${password}`).toString('base64');
  const config = { auths: { [credentialAddress(referenceOf(image))]: { username, password, auth } } };
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, labels },
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': Buffer.from(JSON.stringify(config)).toString('base64') },
  };
}

/** A persistent volume claim that contains the volumes of the platform. */
export interface VolumeClaim {
  readonly name: string;
  /** Directory in which the platform sees the root of the claim. */
  readonly directory: string;
}

const VOLUME = 'volumes';

/** Returns the volumes of a pod for its mounts. @throws StartError if pods cannot reach a mount */
function claimedVolumes(
  mounts: readonly Mount[],
  claim: VolumeClaim | undefined,
): { volumes: Volume[]; volumeMounts: VolumeMount[] } {
  if (mounts.length === 0) return { volumes: [], volumeMounts: [] };
  if (!claim) {
    throw new StartError(
      'the endpoint mounts a volume, which pods cannot reach. Keep the data of the platform on a persistent volume claim with ' +
        'ReadWriteMany, and start the platform with --kube-volume-claim NAME.',
    );
  }
  const { name, directory } = claim;
  const volumeMounts = mounts.map((mount) => {
    const subPath = path.relative(directory, mount.directory).split(path.sep).join('/');
    if (subPath.startsWith('..') || path.isAbsolute(subPath)) {
      throw new StartError(
        `the volume ${mount.directory} is not in ${directory}, the directory of the claim ${name}. Correct --kube-volume-claim.`,
      );
    }
    return { name: VOLUME, mountPath: mount.path, ...(subPath !== '' && { subPath }) };
  });
  return { volumes: [{ name: VOLUME, persistentVolumeClaim: { claimName: name } }], volumeMounts };
}
