import type { ContainerState } from '@docker/node-sdk';

/** States of a container that does not run any more. `stopped` is Podman's. */
const ENDED: ReadonlySet<string | undefined> = new Set(['exited', 'dead', 'removing', 'stopped']);

export function hasEnded({ Status: status }: ContainerState): boolean {
  return ENDED.has(status);
}
