import { NeedsMachineError } from '../features/browserLimits.ts';
import type { Batches } from '../features/jobs/batch/batches.ts';

/* Replaces `createBatches.ts` in the browser bundle. Batches are files on disk, and nothing that uses them is registered. */

const unavailable = (): never => {
  throw new NeedsMachineError();
};

export const createBatches = (): Batches => ({
  get files() {
    return unavailable();
  },
  get runs() {
    return unavailable();
  },
  get brokenRows() {
    return unavailable();
  },
});
