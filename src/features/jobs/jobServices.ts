import type * as vscode from 'vscode';
import { requireConnectionOf, requireConnection } from '../../account/connections/requireConnection.ts';
import type { EndpointSnapshot } from '../../account/endpoints/endpointSnapshot.ts';
import type { Profile } from '../../account/connections/connectionStore.ts';
import type { AccountServices } from '../../account/accountServices.ts';
import type { JobFollower } from './actions/jobFollower.ts';
import type { JobHistoryStore } from './actions/jobHistoryStore.ts';
import type { JobRequests } from './actions/jobRequests.ts';
import type { SubmitServices } from './actions/submitJob.ts';
import type { JobSchemas } from './language/jobSchemas.ts';
import type { LastInputStore } from './lastInputStore.ts';
import type { JobDocuments } from './results/jobDocuments.ts';
import type { JobFilterStore } from './view/jobFilter.ts';
import type { JobViewDocuments } from './view/jobViewDocuments.ts';

/** The records of jobs, for features that submit jobs. */
export interface JobRecords {
  readonly history: JobHistoryStore;
  readonly lastInputs: LastInputStore;
  readonly documents: JobDocuments;
  readonly requests: JobRequests;
  readonly follower: JobFollower;
  /** Manifests of job files, and the schemas of their inputs. */
  readonly manifests: JobSchemas;
}

/** Opens forms for inputs. */
export interface JobFormOpener {
  /** Resolves with false if the endpoint has no schema with members. */
  openForEndpoint(snapshot: EndpointSnapshot, connectionId: string): Promise<boolean>;
  openForFile(uri: vscode.Uri): Promise<void>;
  /** Shows a form again in a panel that the editor restored. */
  restore(panel: vscode.WebviewPanel, stored: unknown): Promise<void>;
  editAsJson(): Promise<void>;
}

/** Services of jobs. Functions take only the members that they use. */
export type JobServices = AccountServices & JobRecords & { readonly forms: JobFormOpener };

/** Services that the actions on jobs of a connection use. */
export type ActionSources = Pick<JobServices, 'connections' | 'clock' | 'history' | 'follower' | 'requests'>;

export type CalledConnection = SubmitServices & { readonly profile: Profile };

/**
 * Returns what an action needs for the jobs of a connection, which must be the current one.
 *
 * @param connectionId undefined for the current connection
 * @throws NotConnectedError
 */
export function actionServices(services: ActionSources, connectionId?: string): CalledConnection {
  const { connections, clock, history, follower, requests } = services;
  const { client, profile } =
    connectionId === undefined ? requireConnection(connections) : requireConnectionOf(connections, connectionId);
  return { client, profile, connectionId: profile.id, clock, history, follower, requests };
}

/** Jobs of this window, and what their commands use. */
export interface Jobs {
  readonly services: JobServices;
  /** Requests and log lines of jobs. */
  readonly viewDocuments: JobViewDocuments;
  readonly filters: JobFilterStore;
  readonly disposable: vscode.Disposable;
}
