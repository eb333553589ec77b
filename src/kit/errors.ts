import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { ApiError, type ErrorKind } from '../client/apiError.ts';
import type { Log } from './log.ts';
import { showMessage } from './messages.ts';
import { foreign, joined, LONGEST, shown, type Showable, type ShownText } from '../text/shownText.ts';
import { UserError, type Remedy } from './userError.ts';

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

/** Returns whether the error means that the user canceled the operation. */
export function isCanceled(error: unknown): boolean {
  return error instanceof vscode.CancellationError || (error instanceof ApiError && error.kind === 'canceled');
}

/** Shows a failure once, with its remedy, and logs it. */
export function showError(log: Log, error: unknown, attempt: Showable): void {
  if (isCanceled(error)) return;
  const text = explain(error, attempt);
  log.error(text.text, causeToLog(error));
  const remedy = remedyOf(error);
  const labels = remedy ? [remedy.label] : [];
  void showMessage('error', text, ...labels).then((chosen) => {
    if (chosen !== undefined && remedy) void vscode.commands.executeCommand(remedy.command, remedy.argument);
  });
}

/** Returns the button that resolves an error. */
export function remedyOf(error: unknown): Remedy | undefined {
  if (error instanceof UserError) return error.remedy;
  if (error instanceof ApiError && error.kind !== 'canceled') return explanations[error.kind].remedy;
  return showLog;
}

/** Returns the details that the log adds to the message: all of a long explanation, or an unexpected error with its stack. */
function causeToLog(error: unknown): unknown {
  if (!(error instanceof ApiError) && !(error instanceof UserError)) return error;
  const all = error instanceof ApiError && error.errors.length > 0 ? error.errors.join('\n') : error.message;
  return all.length > LONGEST ? all : undefined;
}
