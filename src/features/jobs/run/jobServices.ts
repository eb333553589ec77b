import type * as vscode from 'vscode';
import type { JobOrder } from '../actions/submitAndFollow.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import type { JobHistoryStore } from '../jobHistoryStore.ts';
import type { JobSchemas } from '../language/jobSchemas.ts';
import type { LastInputStore } from '../lastInputStore.ts';
import type { JobRequests } from '../requests/jobRequests.ts';
import type { JobDocuments } from '../results/jobDocuments.ts';
import type { JobTracking } from '../tracking/jobTracking.ts';
import type { JobFilterStore } from '../view/jobFilterStore.ts';
import type { JobViewDocuments } from '../view/jobViewDocuments.ts';

export interface JobServices extends AccountServices {
  readonly history: JobHistoryStore;
  readonly lastInputs: LastInputStore;
  readonly documents: JobDocuments;
  readonly requests: JobRequests;
  readonly tracking: JobTracking;
  /** Manifests of job files, and the schemas of their inputs. */
  readonly manifests: JobSchemas;
}

/** The records of jobs, for features that submit jobs. */
export type JobRecords = Omit<JobServices, keyof AccountServices>;

/** A job to submit on one connection. It is never submitted on another one. */
export interface JobRun extends JobOrder {
  readonly connectionId: string;
}

/** Jobs of this window, and what their commands use. */
export interface Jobs {
  readonly services: JobServices;
  /** Requests and log lines of jobs. */
  readonly viewDocuments: JobViewDocuments;
  readonly filters: JobFilterStore;
  readonly disposable: vscode.Disposable;
}
