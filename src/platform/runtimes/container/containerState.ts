import type { ContainerState } from '@docker/node-sdk';
import type { ProcessExit } from '../../../contract/systemLines.ts';
import { exitOfStatus, UNKNOWN_EXIT } from '../exitStatus.ts';
import * as z from 'zod';
import type { RunHandle } from '../runtime.ts';

/** States of a container that does not run any more. `stopped` is Podman's. */
const ENDED: ReadonlySet<string | undefined> = new Set(['exited', 'dead', 'removing', 'stopped']);

const STARTED: ReadonlySet<string | undefined> = new Set(['running', 'paused', 'exited', 'stopped']);

export function hasEnded({ Status: status }: ContainerState): boolean {
  return ENDED.has(status);
}

/** Returns whether the container runs, or has run. */
export function hasStarted({ Status: status }: ContainerState): boolean {
  return STARTED.has(status);
}

/** Returns the exit of a container that has ended. */
export function exitOf({ ExitCode: code, OOMKilled: outOfMemory }: ContainerState): ProcessExit {
  if (code === undefined) return UNKNOWN_EXIT;
  const exit = exitOfStatus(code);
  // The kernel may have killed a process that the worker could do without.
  return outOfMemory && code !== 0 ? { ...exit, reason: 'outOfMemory' } : exit;
}

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
