import * as l10n from '@vscode/l10n';
import type { ApiError } from '../../../client/apiError.ts';
import { duration } from '../../../text/quantities.ts';

/** A change of a followed log that the log shows. */
export type FollowState =
  | { readonly kind: 'connected' }
  | { readonly kind: 'lost' }
  | { readonly kind: 'resumed' }
  /** The connection has no client, because the local platform is stopped. */
  | { readonly kind: 'suspended' }
  | { readonly kind: 'refused'; readonly error: ApiError }
  | { readonly kind: 'stopped' }
  /** The log is not visible, so its stream is closed. */
  | { readonly kind: 'paused' }
  /** The log continues after it was not followed for a time, without a gap. */
  | { readonly kind: 'away'; readonly awayMs: number }
  /** The worker no longer exists, and its last line has been received. */
  | { readonly kind: 'ended' }
  /** Lines that the panel does not show, because too many arrived at once. */
  | { readonly kind: 'skipped'; readonly lines: number }
  /** The lines can no longer be stored, for example because the disk is full. */
  | { readonly kind: 'notStored'; readonly reason: string }
  /** The endpoint has no worker now. */
  | { readonly kind: 'waiting' }
  /** The panel has its maximum size. */
  | { readonly kind: 'tooLarge' };

/** Words that link to the full log. */
export const FULL_LOG_LINK = l10n.t('Open Full Log');

/** Remedies for the errors that end a stream, by kind of error. */
const ADVICE: Partial<Record<ApiError['kind'], string>> = {
  unauthorized: l10n.t('Connect again with a valid key, then show the logs again.'),
  forbidden: l10n.t('The key needs access to this endpoint.'),
  notFound: l10n.t('The worker no longer exists. Its log is above.'),
};

/** Describes a change in one line, without a period at its end unless it contains advice. */
export function describeFollowState(state: FollowState): string {
  switch (state.kind) {
    case 'connected':
      return l10n.t('connected');
    case 'lost':
      return l10n.t('connection lost, reconnecting…');
    case 'resumed':
      return l10n.t('reconnected, continuing after the last line');
    case 'suspended':
      return l10n.t('the platform stopped; the log resumes when the platform restarts');
    case 'stopped':
      return l10n.t('stopped; show the logs again to continue after the last line');
    case 'paused':
      return l10n.t('paused while the log is not visible');
    case 'away':
      return l10n.t`continued after ${duration(state.awayMs / 1000)}; no lines are missing`;
    case 'ended':
      return l10n.t('the worker ended; its log is complete');
    case 'skipped': {
      return state.lines === 1
        ? l10n.t`1 line was skipped here; ${FULL_LOG_LINK} shows all lines`
        : l10n.t`${state.lines.toLocaleString('en-US')} lines were skipped here; ${FULL_LOG_LINK} shows all lines`;
    }
    case 'notStored':
      return l10n.t`lines can no longer be stored on this machine (${state.reason}); new lines appear only in the panel`;
    case 'waiting':
      return l10n.t('no worker is running; lines appear here when one starts');
    case 'tooLarge':
      return l10n.t`older lines were removed here, because the panel was too large; ${FULL_LOG_LINK} shows all lines`;
    case 'refused': {
      const { kind, message } = state.error;
      return l10n.t`ended: ${message}. ${ADVICE[kind] ?? l10n.t('Show the logs again to retry.')}`;
    }
  }
}
