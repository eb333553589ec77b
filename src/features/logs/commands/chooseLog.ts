import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Client } from '../../../client/client.ts';
import type { Worker } from '../../../contract/worker.ts';
import { withProgress } from '../../../kit/progress.ts';
import { pick, separator, type ShownItem } from '../../../kit/quickInput.ts';
import { duration } from '../../../text/quantities.ts';
import { shown } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import { requireConnection } from '../../../account/connections/requireConnection.ts';
import type { EndpointNode } from '../../../account/endpoints/endpointNode.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { listWorkers, type ListedWorker } from '../actions/listWorkers.ts';
import { followStatusWords, type FollowedLogs } from '../follow/followedLogs.ts';
import { subjectKey, workerWords, type LogSubject } from '../model/logSubject.ts';

type LogItem = ShownItem & { readonly subject?: LogSubject };

/** Returns the log of a row in the endpoints view, or lets the user choose one. */
export async function chooseLog(
  services: Pick<AccountServices, 'connections' | 'endpoints'>,
  followed: FollowedLogs,
  node: EndpointNode | undefined,
): Promise<LogSubject | undefined> {
  const { client, profile } = requireConnection(services.connections);
  if (node) return logOfNode(services, profile.id, node);
  const listed = await readWorkers(client);
  const items = [...listedItems(followed, profile.id, listed), ...earlierItems(followed, profile.id, listed)];
  if (items.length === 0) {
    throw new UserError(shown`no endpoint has a worker; run a job to start one`, {
      label: l10n.t('Run Job…'),
      command: 'cloudCompute.jobs.run',
    });
  }
  return (await pick(items, { placeholder: l10n.t('Log to show') }))?.subject;
}

function logOfNode(
  { endpoints }: Pick<AccountServices, 'endpoints'>,
  connectionId: string,
  node: EndpointNode,
): LogSubject {
  const { endpointId } = node;
  const endpointName = endpoints.find(endpointId)?.endpoint.name ?? endpointId;
  // The worker may have ended since the tree was read. Its log still exists.
  return { connectionId, endpointId, endpointName, ...(node.kind === 'worker' && { workerIds: [node.workerId] }) };
}

/** Reads the workers from the platform, because the tree may not be loaded yet. Reading all endpoints can take a while. */
function readWorkers(client: Client): Thenable<readonly ListedWorker[]> {
  const location = vscode.ProgressLocation.Notification;
  return withProgress({ title: l10n.t('Looking for workers…'), location }, (signal, report) =>
    listWorkers(client, { signal, onProgress: (done, total) => report(shown`${done} of ${total} endpoints`) }),
  );
}

/** Returns an item for each endpoint with all its workers, and one for each worker. */
function listedItems(followed: FollowedLogs, connectionId: string, listed: readonly ListedWorker[]): LogItem[] {
  const byEndpoint = Map.groupBy(listed, ({ endpoint }) => endpoint.id);
  return [...byEndpoint].flatMap(([endpointId, workers]): LogItem[] => {
    const endpointName = workers[0]?.endpoint.name ?? endpointId;
    const subject = { connectionId, endpointId, endpointName };
    const each = workers.map(({ worker }): LogItem => {
      const one = { ...subject, workerIds: [worker.id] };
      return { label: worker.id, description: statusOf(worker), detail: followWords(followed, one), subject: one };
    });
    const all: LogItem = {
      label: shown`$(output) All workers of ${endpointName}`,
      description: workers.length === 1 ? l10n.t('1 worker') : l10n.t`${workers.length} workers`,
      detail: followWords(followed, subject),
      subject,
    };
    return [separator(endpointName), all, ...each];
  });
}

/** Returns the logs of this session whose workers have ended. */
function earlierItems(followed: FollowedLogs, connectionId: string, listed: readonly ListedWorker[]): LogItem[] {
  const present = new Set(listed.map(({ worker }) => worker.id));
  const earlier = followed.all.filter(
    ({ subject }) => subject.connectionId === connectionId && subject.workerIds?.some((id) => !present.has(id)),
  );
  if (earlier.length === 0) return [];
  const items = earlier.map(({ subject }): LogItem => ({
    label: workerWords(subject),
    description: l10n.t('ended'),
    detail: subject.endpointName,
    subject,
  }));
  return [separator(l10n.t('Ended workers')), ...items];
}

function statusOf({ status, uptimeSeconds }: Worker): string {
  const up = uptimeSeconds == null ? '' : l10n.t` · up ${duration(uptimeSeconds)}`;
  return `${status.toLowerCase()}${up}`;
}

function followWords(followed: FollowedLogs, subject: LogSubject): string | undefined {
  const status =
    followed.all.some((one) => subjectKey(one.subject) === subjectKey(subject)) && followed.statusOf(subject);
  return status ? l10n.t`log: ${followStatusWords[status]}` : undefined;
}
