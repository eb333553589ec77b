import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { RunLabels } from '../runSpec.ts';
import type { RunHandle } from '../runtime.ts';

const MANAGED_BY = 'app.kubernetes.io/managed-by';
const OWNER = 'cloud-compute/owner';
const ENDPOINT = 'cloud-compute/endpoint';
const WORKER = 'cloud-compute/worker';
const RUN = 'cloud-compute/run';

export function podLabels({ owner, endpointId, workerId, runId }: RunLabels): Record<string, string> {
  return {
    [MANAGED_BY]: 'cloud-compute',
    [OWNER]: labelValue(owner),
    [ENDPOINT]: labelValue(endpointId),
    [WORKER]: labelValue(workerId),
    [RUN]: labelValue(runId),
  };
}

/** Selects all objects of a platform. */
export function ownerSelector(owner: string): string {
  return `${OWNER}=${labelValue(owner)}`;
}

/** Selects the objects of a run. */
export function runSelector({ owner, runId }: Pick<RunLabels, 'owner' | 'runId'>): string {
  return `${ownerSelector(owner)},${RUN}=${labelValue(runId)}`;
}

/** Whether an object belongs to the run of a platform. */
export function isOfRun(labels: Readonly<Record<string, string>> | undefined, owner: string, runId: string): boolean {
  return labels?.[OWNER] === labelValue(owner) && labels[RUN] === labelValue(runId);
}

/** Returns the value of the label that names the run of an object. It is `labelValue` of the ID of the run. */
export function runValue(labels: Readonly<Record<string, string>> | undefined): string {
  return labels?.[RUN] ?? '';
}

/** Returns a valid value of a label, which is the text itself if it is valid, and else its hash. */
export function labelValue(text: string): string {
  const isValid = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/.test(text);
  return isValid ? text : createHash('sha256').update(text).digest('hex').slice(0, 63);
}

/** Identifies a run on a cluster. */
export const KubernetesHandle = z.object({
  runtime: z.literal('kubernetes'),
  /** null if the cluster was not known before the start; the namespace of the context then. */
  namespace: z.string().nullable(),
  runId: z.string().min(1),
});
export type KubernetesHandle = z.infer<typeof KubernetesHandle>;

/** Returns the handle of a run. @param namespace null before the cluster is known */
export function handleOf(runId: string, namespace: string | null): KubernetesHandle {
  return { runtime: 'kubernetes', namespace, runId };
}

/** Returns those handles that identify runs on a cluster. */
export function kubernetesHandles(handles: readonly RunHandle[]): KubernetesHandle[] {
  return handles.flatMap((handle) => KubernetesHandle.safeParse(handle).data ?? []);
}

const NAME_LENGTH = 24;

/** Returns the name of the pod and the secret of a run. It depends on the run only, so a run cannot be started twice. */
export function podName(runId: string): string {
  return `worker-${createHash('sha256').update(runId).digest('hex').slice(0, NAME_LENGTH)}`;
}
