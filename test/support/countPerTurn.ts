import { afterwards } from '../platform/support.ts';

/** Counts events in each turn of the event loop, until `cleanUp`. */
export function countPerTurn() {
  let [inTurn, most, over] = [0, 0, false];
  const nextTurn = (): void => {
    inTurn = 0;
    if (!over) setImmediate(nextTurn);
  };
  nextTurn();
  afterwards(() => Promise.resolve((over = true)));
  return {
    count: (): void => void (most = Math.max(most, ++inTurn)),
    /** Largest number of events in one turn. */
    most: (): number => most,
  };
}
