import type { AccountServices } from '../../../account/accountServices.ts';
import type { Reports } from '../../../kit/documents/reports.ts';
import type { BatchFiles } from './batchFiles.ts';
import type { BatchRuns } from './batchRuns.ts';

export interface BatchServices extends AccountServices {
  readonly batches: Batches;
}

/** Batches of jobs: their files, and those that this window runs. */
export interface Batches {
  readonly files: BatchFiles;
  readonly runs: BatchRuns;
  readonly brokenRows: Reports;
}
