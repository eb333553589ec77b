import * as l10n from '@vscode/l10n';
import { foreign, joined, namedAtMost, shown, type ShownText } from '../../../text/shownText.ts';
import type { CredentialUsers } from '../../../account/credentials.ts';
import { waitingJobs, type EndpointSnapshot } from '../../../account/endpoints/endpointSnapshot.ts';

/** Returns the confirmation for a deletion. It names the endpoints and counts the jobs and workers that are deleted with them. */
export function deletionQuestion(snapshots: readonly EndpointSnapshot[]): {
  message: ShownText;
  detail: ShownText;
} {
  const [first] = snapshots;
  const message =
    snapshots.length === 1 && first
      ? shown`Delete endpoint “${first.endpoint.name}”?`
      : shown`Delete ${snapshots.length} endpoints?`;
  const named = namedAtMost(
    snapshots.map((one) => shown`• ${one.endpoint.name}: ${dependentsText(one)}`),
    '• ',
  );
  const detail =
    snapshots.length === 1 && first
      ? shown`This also deletes ${dependentsText(first)}.`
      : joined([shown`This also deletes:`, ...named], '\n');
  return { message, detail: shown`${detail}\n\nThis cannot be undone.` };
}

function dependentsText(snapshot: EndpointSnapshot): string {
  const { health, workers } = snapshot;
  const running = health?.jobs.inProgress ?? 0;
  const waiting = waitingJobs(snapshot);
  const jobs = [
    ...(waiting > 0 ? [waiting === 1 ? l10n.t('1 waiting job') : l10n.t`${waiting} waiting jobs`] : []),
    ...(running > 0 ? [running === 1 ? l10n.t('1 running job') : l10n.t`${running} running jobs`] : []),
  ];
  const parts = [...jobs, ...workerWords(workers), l10n.t('its releases')];
  return new Intl.ListFormat('en-US').format(parts);
}

function workerWords(workers: EndpointSnapshot['workers']): string[] {
  if (!workers) return [l10n.t('its workers')];
  return workers.summary.total > 0
    ? [workers.summary.total === 1 ? l10n.t('1 worker') : l10n.t`${workers.summary.total} workers`]
    : [];
}

/** Returns the detail text of the confirmation, which lists the endpoints and templates that use the credential. */
export function credentialDeletionDetail({ endpoints, templates, unknown }: CredentialUsers): ShownText {
  const sentences: ShownText[] = [];
  if (endpoints.length > 0) {
    sentences.push(
      endpoints.length === 1
        ? shown`Used by 1 endpoint: ${names(endpoints)}. New workers cannot pull private images.`
        : shown`Used by ${endpoints.length} endpoints: ${names(endpoints)}. New workers cannot pull private images.`,
    );
  }
  if (templates.length > 0) {
    sentences.push(
      templates.length === 1
        ? shown`Used by 1 template: ${names(templates)}.`
        : shown`Used by ${templates.length} templates: ${names(templates)}.`,
    );
  }
  if (unknown) {
    sentences.push(
      shown`Could not check whether anything${sentences.length > 0 ? l10n.t(' else') : ''} uses it: ${unknown.message}.`,
    );
  } else if (sentences.length === 0) {
    sentences.push(shown`No endpoint or template uses it.`);
  }
  return joined([...sentences, l10n.t('This cannot be undone.')], '\n\n');
}

const LONGEST_NAME = 100;
/** Maximum number of users of a credential in a question. */
const MAX_USERS = 50;

function names(all: readonly string[]): ShownText {
  return joined(
    namedAtMost(
      all.map((name) => foreign(name, LONGEST_NAME)),
      '',
      MAX_USERS,
    ),
    ', ',
  );
}
