import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { showStatusBarMessage } from '../../../kit/messages.ts';
import { oneLine } from '../../../text/shownText.ts';
import type { ChosenJobs } from './chosenJobs.ts';

const CONFIRMATION_MS = 3_000;

/** Copies the IDs of jobs, one per line. */
export async function copyJobIds({ jobs }: ChosenJobs): Promise<void> {
  await vscode.env.clipboard.writeText(jobs.map(({ id }) => oneLine(id)).join('\n'));
  showStatusBarMessage(
    jobs.length === 1 ? l10n.t('Job ID copied') : l10n.t`${jobs.length} job IDs copied`,
    CONFIRMATION_MS,
  );
}
