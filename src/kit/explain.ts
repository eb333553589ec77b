import * as l10n from '@vscode/l10n';
import { ApiError, type ErrorKind } from '../client/apiError.ts';
import { foreign, joined, shown, type Showable, type ShownText } from '../text/shownText.ts';
import { UserError, type Remedy } from './userError.ts';

/* The words of failures, without an editor. */

const showLog: Remedy = { label: l10n.t('Show Log'), command: 'cloudCompute.showLog' };
const replaceKey: Remedy = { label: l10n.t('Replace API Key'), command: 'cloudCompute.connections.replaceKey' };
const refresh: Remedy = { label: l10n.t('Refresh'), command: 'cloudCompute.endpoints.refresh' };

/** The message and remedy for each kind of error. `canceled` has none, because the user canceled the request. */
const explanations: Record<Exclude<ErrorKind, 'canceled'>, { readonly text: string; readonly remedy: Remedy }> = {
  unauthorized: { text: l10n.t('the API key was not accepted'), remedy: replaceKey },
  forbidden: { text: l10n.t('the API key does not allow this'), remedy: replaceKey },
  notFound: { text: l10n.t('it no longer exists'), remedy: refresh },
  validation: { text: l10n.t('the request was not accepted'), remedy: showLog },
  rateLimited: { text: l10n.t('too many requests; wait a moment and try again'), remedy: refresh },
  network: { text: l10n.t('the platform cannot be reached'), remedy: refresh },
  timeout: { text: l10n.t('the platform did not respond in time'), remedy: refresh },
  server: { text: l10n.t('the platform failed'), remedy: showLog },
};

/** Returns the message for a failure: one sentence that starts with the attempt. Text from a server is made safe to show. */
export function explain(error: unknown, attempt: Showable): ShownText {
  if (error instanceof ApiError && error.kind !== 'canceled') {
    const more = error.errors.length - MAX_DETAILS;
    const reasons = [...error.errors.slice(0, MAX_DETAILS), ...(more > 0 ? [l10n.t`and ${more} more`] : [])];
    const details = reasons.length > 0 ? joined(reasons, '; ') : foreign(error.message);
    return shown`${attempt}: ${explanations[error.kind].text} (${details})`;
  }
  if (error instanceof UserError) return shown`${attempt}: ${error.shown}`;
  return shown`${attempt}: ${error instanceof Error ? error.message : String(error)}`;
}

/** Maximum number of reasons from a server in one message. */
const MAX_DETAILS = 5;

/** Returns the button that resolves an error. */
export function remedyOf(error: unknown): Remedy | undefined {
  if (error instanceof UserError) return error.remedy;
  if (error instanceof ApiError && error.kind !== 'canceled') return explanations[error.kind].remedy;
  return showLog;
}
