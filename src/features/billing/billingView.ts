import type { ApiError } from '../../client/apiError.ts';
import { foreign, shown } from '../../vscode/text/shownText.ts';
import type { BillingFailure, BillingView } from '../../webviews/billing/messages.ts';
import type { Profile } from '../connections/connectionStore.ts';
import { notConnected, type Current, type NotConnectedError } from '../connections/requireConnection.ts';
import { billingActionFor } from './billingPageActions.ts';
import type { BillingState } from './billingStore.ts';

/** Returns the content of the page for a state and the current connection. */
export function billingView(
  state: BillingState,
  connections: Current<unknown, Pick<Profile, 'kind' | 'name'>>,
): BillingView {
  const { profile } = connections;
  const { range, busy, report, error } = state;
  const reason = notConnected(connections);
  const failure = reason ? failureWithout(reason) : error && failureOf(error);
  return {
    range,
    busy,
    ...(profile && { connection: foreign(profile.name).text }),
    ...(report && { report: { response: report.response, updatedAt: new Date(report.updatedAt).toISOString() } }),
    ...(failure && { failure }),
  };
}

/** Returns the failure for a platform that cannot be called. A retry does not help. */
function failureWithout({ sentence, remedy }: NotConnectedError): BillingFailure {
  const action = remedy && billingActionFor(remedy.command);
  return { message: sentence.text, retry: false, ...(remedy && action && { remedy: { label: remedy.label, action } }) };
}

function failureOf({ kind, message }: ApiError): BillingFailure {
  switch (kind) {
    case 'forbidden':
      return {
        message: shown`The API key has no access to billing (${message}).`.text,
        retry: true,
        remedy: { label: 'Replace API Key', action: 'replaceKey' },
      };
    case 'unauthorized':
      return {
        message: shown`The API key was not accepted (${message}).`.text,
        retry: true,
        remedy: { label: 'Replace API Key', action: 'replaceKey' },
      };
    case 'rateLimited':
      return { message: shown`Too many requests (${message}).`.text, retry: true };
    case 'network':
    case 'timeout':
      return { message: shown`The platform cannot be reached (${message}).`.text, retry: true };
    default:
      return {
        message: shown`The platform could not report the spend (${message}).`.text,
        retry: true,
        remedy: { label: 'Show Log', action: 'showLog' },
      };
  }
}
