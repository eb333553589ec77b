/* Globals of Node.js that the build adds to modules of the browser bundle that use them. */

import { setImmediate as afterWaitingEvents } from './timersPromises.ts';

export { Buffer } from 'buffer';

/** A browser has no environment variables, and no platform of Node.js. */
export const process = { env: {}, platform: 'browser', pid: 1 } as const;

/** Calls an action after events that are already waiting. Returns the function that `clearImmediate` takes. */
export function setImmediate(action: () => void): () => void {
  let isCanceled = false;
  void afterWaitingEvents().then(() => {
    if (!isCanceled) action();
  });
  return () => (isCanceled = true);
}

export const clearImmediate = (cancel: (() => void) | undefined): void => cancel?.();

export default process;
