import type { Clock } from '../clock.ts';

/**
 * An action that is called whenever something has changed: done at once, but no more often than every so many ms. What changes meanwhile
 * is seen by one more call at the end of that time.
 */
export function paced(clock: Clock, ms: number, action: () => void): () => void {
  let resting = false;
  let asked = false;
  const act = (): void => {
    if (resting) {
      asked = true;
      return;
    }
    [resting, asked] = [true, false];
    clock.after(ms, () => {
      resting = false;
      if (asked) act();
    });
    action();
  };
  return act;
}
