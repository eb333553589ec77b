import * as z from 'zod';
import type { RunHandle } from '../runtime.ts';

/** Identifies a run. Its container is found by its labels. */
export const ContainerHandle = z.object({ runtime: z.literal('container'), runId: z.string().min(1) });
export type ContainerHandle = z.infer<typeof ContainerHandle>;

/** Returns the handle of a run. */
export function handleOf(runId: string): ContainerHandle {
  return { runtime: 'container', runId };
}

/** Returns those handles that identify containers. */
export function containerHandles(handles: readonly RunHandle[]): ContainerHandle[] {
  return handles.flatMap((handle) => ContainerHandle.safeParse(handle).data ?? []);
}
