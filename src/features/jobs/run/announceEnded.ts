import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { CommandId } from '../../../kit/commandIds.ts';
import { showMessage, showStatusBarMessage } from '../../../kit/messages.ts';
import { shown, type ShownText } from '../../../text/shownText.ts';
import { statusWords } from '../../../account/jobWords.ts';
import type { JobNode } from '../view/jobList.ts';
import type { EndedJobs, EndedWhen } from '../actions/jobFollower.ts';

const SHOW_JOBS = l10n.t('Show Jobs');
const REPLAY_JOB = l10n.t('Replay Locally…');
const REPLAY: CommandId = 'cloudCompute.jobs.replay';
const FOCUS_VIEW = 'cloudCompute.jobs.focus';
const SHOWN_MS = 10_000;

const periods: Readonly<Record<EndedWhen, string>> = {
  closed: l10n.t(' while the editor was closed'),
  away: l10n.t(' while the connection was not in use'),
  now: '',
};

/** Announces ended jobs in one message. A single job that completed while it was followed causes only a message in the status bar. */
export function announceEnded(ended: EndedJobs): void {
  const { jobs, when } = ended;
  const [first] = jobs;
  if (when === 'now' && jobs.length === 1 && first?.status === 'COMPLETED') {
    showStatusBarMessage(shown`$(pass) Job on “${first.endpointName}” completed`, SHOWN_MS);
    return;
  }
  const hasFailed = jobs.some(({ status }) => status === 'FAILED' || status === 'TIMED_OUT');
  const replayed = hasFailed && jobs.length === 1 ? first : undefined;
  const buttons = replayed ? [REPLAY_JOB, SHOW_JOBS] : [SHOW_JOBS];
  void showMessage(hasFailed ? 'warning' : 'information', endedWords(ended), ...buttons).then((chosen) => {
    if (chosen === SHOW_JOBS) void vscode.commands.executeCommand(FOCUS_VIEW);
    if (chosen !== REPLAY_JOB || !replayed) return;
    const node: JobNode = { kind: 'job', connectionId: ended.connectionId, jobId: replayed.id };
    void vscode.commands.executeCommand(REPLAY, node);
  });
}

/** Describes ended jobs, such as `2 jobs ended while the editor was closed: 1 completed, 1 failed.` */
function endedWords({ jobs, when }: EndedJobs): ShownText {
  const [first] = jobs;
  if (jobs.length === 1 && first)
    return shown`The job on “${first.endpointName}” ended${periods[when]}: ${statusWords(first.status)}.`;
  const statuses = new Map<string, number>();
  for (const { status } of jobs) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  const parts = [...statuses].map(([status, number]) => `${number} ${statusWords(status)}`);
  return shown`${jobs.length} jobs ended${periods[when]}: ${parts.join(', ')}.`;
}
