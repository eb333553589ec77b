import * as l10n from '@vscode/l10n';
import type { ApiError } from '../../../../client/apiError.ts';
import type { Diagnosis } from '../../../../account/diagnosis/diagnosis.ts';
import { explain } from '../../../../kit/explain.ts';
import type { TestVerdict } from './verificationTest.ts';

/* The result of a verification: whether a deployed endpoint works. */

export type Verification =
  /** A worker of the newest version is up. */
  | { readonly outcome: 'ready'; readonly workers: number }
  /**
   * The platform has the settings, and starts no worker before the first request, because the minimum is 0. Starts none at all if the
   * endpoint is paused.
   */
  | { readonly outcome: 'accepted'; readonly isPaused: boolean }
  /** The test of the manifest met its expectations. */
  | ({ readonly outcome: 'passed' } & TestVerdict)
  /** The test of the manifest did not meet its expectations. */
  | ({ readonly outcome: 'unmet' } & TestVerdict)
  /** The user did not want to wait. */
  | { readonly outcome: 'skipped' }
  /** No worker can run. */
  | { readonly outcome: 'failed'; readonly diagnosis: Diagnosis }
  /** The time is over, for example because no hardware is free. */
  | { readonly outcome: 'timedOut'; readonly diagnosis: Diagnosis | undefined }
  /** The time is over, and workers of the earlier version are still running jobs, which they finish first. */
  | { readonly outcome: 'replacing' }
  /** The user ended the wait. */
  | { readonly outcome: 'interrupted' }
  /** Another client has deleted the endpoint. */
  | { readonly outcome: 'gone' }
  /** The platform could not be read, so that the state of the endpoint is not known. */
  | { readonly outcome: 'unread'; readonly error: ApiError };

/** Returns whether the endpoint works, as far as the user wanted to know and as can be known before the first request. */
export function isVerified({ outcome }: Verification): boolean {
  return outcome === 'ready' || outcome === 'accepted' || outcome === 'passed' || outcome === 'skipped';
}

/** Returns whether the endpoint does not work. Of an endpoint for which neither is true, the state is not known. */
export function isBroken({ outcome }: Verification): boolean {
  return outcome === 'failed' || outcome === 'timedOut' || outcome === 'unmet';
}

/** Returns the lines that show the cause of a failure: all differences, and log lines. They contain foreign text. */
export function evidenceOf(verification: Verification): readonly string[] {
  if (verification.outcome === 'unmet')
    return [...verification.differences.map(({ path, message }) => `${path}: ${message}`), ...verification.log];
  return 'diagnosis' in verification ? (verification.diagnosis?.evidence ?? []) : [];
}

/** Returns the end of a sentence such as “hello” was updated: … */
export function verificationWords(verification: Verification): string {
  switch (verification.outcome) {
    case 'ready':
      return verification.workers === 1 ? l10n.t('1 worker is up') : l10n.t`${verification.workers} workers are up`;
    case 'accepted':
      return verification.isPaused
        ? l10n.t('it is paused, so no worker starts')
        : l10n.t('a worker starts with the first request');
    case 'passed':
      return 'jobId' in verification
        ? l10n.t('the job of x-verify met its expectations')
        : l10n.t('the requests of x-verify met their expectations');
    case 'unmet': {
      const [first, ...more] = verification.differences;
      const others = more.length > 0 ? l10n.t` (and ${more.length} more)` : '';
      const difference = `${first?.path ?? ''}: ${first?.message ?? ''}${others}`;
      return 'jobId' in verification
        ? l10n.t`the job of x-verify did not meet its expectations. ${difference}`
        : l10n.t`the requests of x-verify did not meet their expectations. ${difference}`;
    }
    case 'skipped':
      return l10n.t('not verified');
    case 'failed':
      return l10n.t`no worker can run. ${verification.diagnosis.headline}. ${verification.diagnosis.explanation.trim()}`;
    case 'timedOut':
      return verification.diagnosis
        ? l10n.t`it was not ready in time. ${verification.diagnosis.headline}.`
        : l10n.t('it was not ready in time');
    case 'replacing':
      return l10n.t('workers of the earlier version are still running jobs, so no new worker has started');
    case 'interrupted':
      return l10n.t('not verified, because of the interruption');
    case 'gone':
      return l10n.t('the endpoint was deleted');
    case 'unread':
      return explain(verification.error, l10n.t('not verified')).text;
  }
}
