import type { ContainerState } from '@docker/node-sdk';

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
