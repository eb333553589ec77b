import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { RunHandle } from '../runtime.ts';

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
