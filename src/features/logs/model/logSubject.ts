import * as l10n from '@vscode/l10n';
import { idPart } from '../../../text/ids.ts';
import { foreign, shown, type ShownText } from '../../../text/shownText.ts';

/** A worker of an endpoint. */
interface WorkerAddress {
  readonly endpointId: string;
  readonly workerId: string;
}

/** A worker, and the connection that it belongs to. */
export interface ConnectedWorker extends WorkerAddress {
  readonly connectionId: string;
}

/** A worker whose log is shown. */
export interface LoggedWorker extends ConnectedWorker {
  readonly endpointName: string;
}

/** Returns a stable key that is unique across all connections and endpoints. */
export function workerKey({ connectionId, endpointId, workerId }: ConnectedWorker): string {
  return [connectionId, endpointId, workerId].map(idPart).join('/');
}

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

/** Longest endpoint name or worker ID in the name of a channel, in UTF-16 code units. */
const LONGEST_NAME = 100;

/** Names the channel of a log, such as `hello / all workers`. @param isTaken whether another channel has a name */
export function channelName(subject: LogSubject, isTaken: (name: string) => boolean): ShownText {
  const { endpointName, endpointId } = subject;
  const workers = foreign(workerWords(subject), LONGEST_NAME);
  const name = shown`${foreign(endpointName, LONGEST_NAME)} / ${workers}`;
  if (!isTaken(name.text)) return name;
  // Names of endpoints are not unique.
  return shown`${foreign(endpointName, LONGEST_NAME)} (${foreign(endpointId, LONGEST_NAME)}) / ${workers}`;
}

/** Returns whether an output document shows the channel with a name. The editor puts the name after the number of the channel. */
export function showsChannel({ scheme, path }: { scheme: string; path: string }, name: string): boolean {
  return scheme === 'output' && /-#\d+-(.*)$/s.exec(path)?.[1] === name;
}
