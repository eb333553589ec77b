import * as l10n from '@vscode/l10n';
import { parseWorkerError } from '../../../contract/workerError.ts';
import type { Job } from '../../../contract/job.ts';
import { withoutControls } from '../../../text/shownText.ts';
import { statusWords, timesWords } from '../../../account/jobWords.ts';

export interface ErrorFacts {
  readonly job: Job;
  /** Name of the endpoint, or its ID. */
  readonly endpoint: string;
  /** Directory of the worker on this machine. */
  readonly directory: string | undefined;
}

/** Returns whether an error has more to show than its message in one line. */
export function hasTraceback(error: unknown): boolean {
  const parsed = parseWorkerError(error);
  return parsed !== undefined && (parsed.traceback !== undefined || parsed.message.trim().includes('\n'));
}

/** Returns the readable text of a job's error: type, message, traceback, and the facts about the job. */
export function errorText({ job, endpoint, directory }: ErrorFacts): string {
  const error = parseWorkerError(job.error);
  const head = error
    ? [error.type, error.message.trim()].filter((part) => part !== undefined && part !== '').join(': ')
    : '';
  const facts = [
    [l10n.t('Job'), job.id],
    [l10n.t('Endpoint'), endpoint],
    [l10n.t('Worker'), job.workerId],
    [l10n.t('State'), timesWords(job)],
    [l10n.t('Directory'), directory],
  ].filter((fact): fact is [string, string] => fact[1] !== undefined);
  const width = Math.max(...facts.map(([name]) => name.length)) + 2;
  const paragraphs = [
    head === '' ? l10n.t`The job is ${statusWords(job.status)}. It has no error.` : head,
    ...(error?.traceback === undefined ? [] : [error.traceback.trimEnd()]),
    facts.map(([name, fact]) => `${name.padEnd(width)}${fact.replaceAll(/\s+/g, ' ')}`).join('\n'),
  ];
  return `${withoutControls(paragraphs.join('\n\n')).replaceAll('\r\n', '\n')}\n`;
}
