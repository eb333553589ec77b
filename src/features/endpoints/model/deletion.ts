import * as l10n from '@vscode/l10n';
import { joined, shown, type ShownText } from '../../../text/shownText.ts';
import { waitingJobs, type EndpointSnapshot } from '../../../account/endpoints/endpointSnapshot.ts';

const MAX_NAMED = 10;

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

/** Returns the first ten names. If there are more, a last entry counts the others. */
export function namedAtMost(names: readonly ShownText[], bullet = ''): readonly ShownText[] {
  const more = names.length - MAX_NAMED;
  return more > 0 ? [...names.slice(0, MAX_NAMED), shown`${bullet}and ${more} more`] : names;
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
