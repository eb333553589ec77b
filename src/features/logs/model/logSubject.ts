import * as l10n from '@vscode/l10n';
import type { ConnectedWorker } from './loggedWorker.ts';

/** The workers whose log is shown as one. */
export interface LogSubject {
  readonly connectionId: string;
  readonly endpointId: string;
  /** Name of the endpoint, for titles. */
  readonly endpointName: string;
  /** Undefined for all workers of the endpoint. */
  readonly workerIds?: readonly string[] | undefined;
}

/** Returns a stable key. The name of the endpoint and the order of the workers have no effect. */
export function subjectKey({ connectionId, endpointId, workerIds }: LogSubject): string {
  return JSON.stringify([connectionId, endpointId, workerIds && [...workerIds].sort()]);
}

/** Returns whether the log of the subject contains lines of the worker. */
export function includesWorker(subject: LogSubject, worker: ConnectedWorker): boolean {
  return (
    subject.connectionId === worker.connectionId &&
    subject.endpointId === worker.endpointId &&
    (subject.workerIds?.includes(worker.workerId) ?? true)
  );
}

/** Names the workers of a subject, such as `all workers`. */
export function workerWords({ workerIds }: LogSubject): string {
  if (!workerIds) return l10n.t('all workers');
  const [first, ...others] = workerIds;
  return first !== undefined && others.length === 0 ? first : l10n.t`${workerIds.length} workers`;
}
