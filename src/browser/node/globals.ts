/* Globals of Node.js that the build adds to modules of the browser bundle that use them. */

import { setImmediate as afterWaitingEvents } from './timersPromises.ts';

export { Buffer } from 'buffer';

export { default as process } from './process.ts';

/** Calls an action after events that are already waiting. Returns the function that `clearImmediate` takes. */
export function setImmediate(action: () => void): () => void {
  let isCanceled = false;
  void afterWaitingEvents().then(() => {
    if (!isCanceled) action();
  });
  return () => (isCanceled = true);
}

export const clearImmediate = (cancel: (() => void) | undefined): void => cancel?.();
